// A service, a proxy or a page of errors may say a secret back in another spelling than it was sent in:
// escaped in JSON, in an address, in HTML, in base64. Every spelling is hidden before anything is kept.

/** A shorter secret, such as a stand-in's "test", is a word that titles and field names hold too. */
const SHORTEST_SECRET = 8;
const HIDDEN = '[hidden]';

/** Names that HTML has for characters a key may hold. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lowbar: '_',
  underbar: '_',
  period: '.',
  sol: '/',
  plus: '+',
  equals: '=',
  percnt: '%',
  num: '#',
};

/**
 * One escape of JSON, JavaScript, addresses or HTML, a full-width character (as itself or as the bytes of
 * UTF-8), or what may stand between two characters: the backslash of an escape, the end of a line, the
 * zeros of UTF-16. Repeats are bounded: a text made to cost much costs little.
 */
const ESCAPE = new RegExp(
  [
    String.raw`\\{1,8}(?:[rn]|u(?<json>[\da-f]{4})|u\{0{0,6}(?<braces>[\da-f]{2,4})\}|x(?<byte>[\da-f]{2}))|\\{1,8}`,
    String.raw`%(?<percent>[\da-f]{2})`,
    String.raw`&#0{0,6}(?<decimal>\d{2,5});?|&#x0{0,6}(?<hex>[\da-f]{2,4});?`,
    `&(?<name>${Object.keys(ENTITIES).join('|')});?`,
    String.raw`(?<wide>[\uff01-\uff5e]|\xef\xbc[\x81-\xbf]|\xef\xbd[\x80-\x9e])`,
    String.raw`[\r\n\0]{1,8}`,
  ].join('|'),
  'gi',
);

/**
 * One escape of quoted-printable, or the end of a line that goes on. Read apart from the others: in
 * `key=ab12` it would take the first two characters of the key.
 */
const QUOTED = /=(?:(?<hex>[\da-f]{2})|[ \t]{0,8}(?:\r|\\{1,8}r)?(?:\n|\\{1,8}n))/gi;

/** One escape may stand inside another. */
const NESTED = [ESCAPE, ESCAPE, ESCAPE];

/** From a full-width character to the one of ASCII. */
const WIDTH = 0xfee0;

/** The character that an escape stands for; '' for what stands between two. */
const meantBy = (groups: Record<string, string | undefined>): string => {
  const { json, braces, byte, percent, hex, decimal, name, wide } = groups;
  const digits = json ?? braces ?? byte ?? percent ?? hex;
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  if (wide !== undefined) {
    const isBytes = wide.length > 1;
    const text = isBytes ? Buffer.from(wide, 'latin1').toString('utf8') : wide;
    return String.fromCharCode(text.charCodeAt(0) - WIDTH);
  }
  return name === undefined ? '' : (ENTITIES[name.toLowerCase()] ?? '');
};

/** A text with its escapes undone, and where in the text before each position of it was. */
interface Undone {
  readonly text: string;
  /** Ascending, in pairs: a position here and the position there that it came from. */
  readonly positions: readonly (readonly [here: number, there: number])[];
}

const undo = (text: string, pattern: RegExp): Undone => {
  const parts: string[] = [];
  const positions: [number, number][] = [[0, 0]];
  let here = 0;
  let there = 0;
  for (const match of text.matchAll(pattern)) {
    const meant = meantBy(match.groups ?? {});
    parts.push(text.slice(there, match.index), meant);
    here += match.index - there;
    positions.push([here, match.index]);
    here += meant.length;
    there = match.index + match[0].length;
    positions.push([here, there]);
  }
  parts.push(text.slice(there));
  return { text: parts.join(''), positions };
};

/** The first position in the text before that a position of the undone one came from. */
const cameFrom = ({ positions }: Undone, position: number): number => {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle]?.[0] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  const at = positions[low]?.[0] === position ? low : low - 1;
  const [here, there] = positions[at] ?? [0, 0];
  return there + position - here;
};

/** The text undone as often as escapes may be nested, outermost first. */
const undoAll = (text: string, escapes: readonly RegExp[] = NESTED): Undone[] => {
  const rounds: Undone[] = [];
  for (const pattern of escapes) {
    const undone = undo(rounds.at(-1)?.text ?? text, pattern);
    if (undone.positions.length === 1) break; // nothing was escaped
    rounds.push(undone);
  }
  return rounds;
};

/** An encoding in groups of `bytes`, each character of which holds `bits`. */
interface Encoding {
  readonly bytes: number;
  readonly bits: number;
  readonly write: (bytes: Buffer) => string;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const base32 = (bytes: Buffer): string => {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{1,5}/g, (five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)] ?? '');
};

const ENCODINGS: readonly Encoding[] = [
  { bytes: 3, bits: 6, write: (bytes) => bytes.toString('base64') },
  { bytes: 3, bits: 6, write: (bytes) => bytes.toString('base64url') },
  { bytes: 5, bits: 5, write: base32 },
  { bytes: 5, bits: 5, write: (bytes) => base32(bytes).toLowerCase() },
];

/**
 * The parts of some bytes' base64 and base32 that are the same whatever stands before and after them:
 * one for each position in a group that they may begin at.
 */
const basesOf = (secret: Buffer): string[] =>
  ENCODINGS.flatMap(({ bytes, bits, write }) =>
    Array.from({ length: bytes }, (_, before) => {
      const whole = Buffer.concat([Buffer.alloc(before), secret]);
      const first = Math.ceil((before * 8) / bits);
      return write(whole).slice(first, Math.floor((whole.length * 8) / bits));
    }),
  );

/** Bytes in hexadecimal or in decimal, with what may stand between two of them. */
const numbersOf = (bytes: Buffer): RegExp => {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const decimal = Array.from(bytes, String);
  const [apart, some] = [String.raw`(?:[\s:;,.'"_-]|0x|00){0,6}`, String.raw`[\s;,'"]{1,6}`];
  return new RegExp(`(?:0x)?${hex.join(apart)}|\\b${decimal.join(some)}\\b`, 'gi');
};

type Span = readonly [from: number, to: number];

/** Spans from left to right, without those that begin inside another. */
const apart = (spans: readonly Span[]): Span[] => {
  let end = 0;
  return spans
    .toSorted(([a], [b]) => a - b)
    .filter(([from, to]) => {
      if (from < end) return false;
      end = to;
      return true;
    });
};

const spansOf = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length]);

/** A number for two neighbouring characters; others may share it. */
const pairAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) & 0xff) << 8) | (text.charCodeAt(at + 1) & 0xff);

/**
 * Finds any of many forms in one pass (Wu and Manber): a pair of characters tells how far away the next
 * form can begin. Forty `indexOf` or one pattern of forty words take twenty times as long.
 */
const findingAny = (forms: readonly string[]): ((text: string) => Span[]) => {
  const shortest = Math.min(...forms.map(({ length }) => length));
  const lastPair = shortest - 2;
  const skips = new Uint16Array(0x10000).fill(shortest - 1);
  for (const form of forms)
    for (let at = 0; at <= lastPair; at++) {
      const pair = pairAt(form, at);
      skips[pair] = Math.min(skips[pair] ?? 0, lastPair - at);
    }
  return (text) => {
    const found: Span[] = [];
    for (let at = 0; at + shortest <= text.length; ) {
      const skip = skips[pairAt(text, at + lastPair)] ?? 0;
      const from = at;
      const form = skip > 0 ? undefined : forms.find((one) => text.startsWith(one, from));
      if (form !== undefined) found.push([at, at + form.length]);
      at += form?.length ?? Math.max(1, skip);
    }
    return found;
  };
};

/** Hides what `find` finds in a text whose escapes are undone; all else of it stays as it is. */
const hideFound = (
  text: string,
  find: (undone: string) => Span[],
  { shown, escapes }: { shown: string; escapes?: readonly RegExp[] },
): string => {
  const rounds = undoAll(text, escapes);
  const found = apart(find(rounds.at(-1)?.text ?? text));
  if (found.length === 0) return text;
  const original = (position: number): number =>
    rounds.reduceRight((at, undone) => cameFrom(undone, at), position);
  const parts: string[] = [];
  let done = 0;
  for (const [from, to] of found) {
    parts.push(text.slice(done, original(from)), shown);
    done = original(to);
  }
  return parts.join('') + text.slice(done);
};

/** The same, also where the text is in quoted-printable. */
const hideEverywhere = (text: string, find: (undone: string) => Span[], shown: string): string => {
  const hidden = hideFound(text, find, { shown });
  return hidden.search(QUOTED) === -1
    ? hidden
    : hideFound(hidden, find, { shown, escapes: [QUOTED, ...NESTED] });
};

/**
 * Hides a secret in texts, however it is spelt: as it is, escaped as in JSON or JavaScript (`\u`, `\u{}`,
 * `\/`), percent-encoded, as HTML entities (each also inside another), full-width, in quoted-printable,
 * as the numbers of its bytes, in base64, base32 or UTF-16, in lines or not. Bytes are passed in as
 * latin1. What is no spelling of the secret stays as it is.
 */
export const hiding = (secret: string): ((text: string) => string) => {
  if (secret.length < SHORTEST_SECRET) return (text) => text;
  const bare = undoAll(secret).at(-1)?.text ?? secret;
  const utf16 = Buffer.from(secret, 'utf16le');
  const bytes = Buffer.from(secret, 'latin1');
  const bases = [bytes, utf16, Buffer.from(utf16).swap16()].flatMap(basesOf);
  const findForms = findingAny([...new Set([secret, bare, ...bases])]);
  const numbers = numbersOf(bytes);
  const find = (text: string): Span[] => [...findForms(text), ...spansOf(text, numbers)];
  return (text) => hideEverywhere(text, find, HIDDEN);
};

/** Hides whatever begins as every key does: who logs an address does not know whose key is in it. */
export const hidingKeys = (prefix: string): ((text: string) => string) => {
  const anyKey = new RegExp(`${prefix}[\\w-]+`, 'g');
  const find = (undone: string): Span[] => spansOf(undone, anyKey);
  return (text) => hideEverywhere(text, find, `${prefix}${HIDDEN}`);
};
