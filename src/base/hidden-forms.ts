// A service, a proxy or an error page may return a secret in another encoding: escaped in JSON, in
// a URL, in HTML, in base64. All of them are hidden before anything is stored.

/** Shorter secrets, such as "test", are also words in titles and field names. */
const SHORTEST_SECRET = 8;
const HIDDEN = '[hidden]';

/** HTML entities of characters in keys. */
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
 * One escape of JSON, JavaScript, URLs or HTML, or a full-width character (also as UTF-8 bytes).
 * Also separators inside a secret: backslashes of escapes, line breaks, zeros of UTF-16. Repeats
 * are bounded to limit the cost of malicious text.
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
 * One escape or soft line break of quoted-printable. Separate from the others: in `key=ab12` it
 * would take the first two characters of the key.
 */
const QUOTED = /=(?:(?<hex>[\da-f]{2})|[ \t]{0,8}(?:\r|\\{1,8}r)?(?:\n|\\{1,8}n))/gi;

/** Escapes may be nested. */
const NESTED = [ESCAPE, ESCAPE, ESCAPE];

/** Distance between a full-width character and its ASCII form. */
const WIDTH = 0xfee0;

/** Character of an escape; '' for a separator. */
const characterOf = (groups: Record<string, string | undefined>): string => {
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

/** Text without escapes, and the original position of each character. */
interface Undone {
  readonly text: string;
  /** Ascending pairs: position in this text, position in the original. */
  readonly positions: readonly (readonly [unescaped: number, original: number])[];
}

const undo = (text: string, pattern: RegExp): Undone => {
  const parts: string[] = [];
  const positions: [number, number][] = [[0, 0]];
  let unescaped = 0;
  let original = 0;
  for (const match of text.matchAll(pattern)) {
    const character = characterOf(match.groups ?? {});
    parts.push(text.slice(original, match.index), character);
    unescaped += match.index - original;
    positions.push([unescaped, match.index]);
    unescaped += character.length;
    original = match.index + match[0].length;
    positions.push([unescaped, original]);
  }
  parts.push(text.slice(original));
  return { text: parts.join(''), positions };
};

/** First original position of a position in the unescaped text. */
const originalOf = ({ positions }: Undone, position: number): number => {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle]?.[0] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  const at = positions[low]?.[0] === position ? low : low - 1;
  const [unescaped, original] = positions[at] ?? [0, 0];
  return original + position - unescaped;
};

/** Unescapes nested escapes, outermost first. */
const undoAll = (text: string, escapes: readonly RegExp[] = NESTED): Undone[] => {
  const rounds: Undone[] = [];
  for (const pattern of escapes) {
    const undone = undo(rounds.at(-1)?.text ?? text, pattern);
    if (undone.positions.length === 1) break; // no escapes found
    rounds.push(undone);
  }
  return rounds;
};

/** An encoding of groups of `bytes` into characters of `bits`. */
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
 * Parts of base64 and base32 that do not depend on neighbouring bytes, one for each start position
 * in a group.
 */
const basesOf = (secret: Buffer): string[] =>
  ENCODINGS.flatMap(({ bytes, bits, write }) =>
    Array.from({ length: bytes }, (_, before) => {
      const whole = Buffer.concat([Buffer.alloc(before), secret]);
      const first = Math.ceil((before * 8) / bits);
      return write(whole).slice(first, Math.floor((whole.length * 8) / bits));
    }),
  );

/** Matches bytes in hexadecimal or decimal, with separators. */
const numbersOf = (bytes: Buffer): RegExp => {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const decimal = Array.from(bytes, String);
  const hexGap = String.raw`(?:[\s:;,.'"_-]|0x|00){0,6}`;
  const decimalGap = String.raw`[\s;,'"]{1,6}`;
  return new RegExp(`(?:0x)?${hex.join(hexGap)}|\\b${decimal.join(decimalGap)}\\b`, 'gi');
};

type Span = readonly [from: number, to: number];

/** Spans from left to right, without overlaps. */
const withoutOverlaps = (spans: readonly Span[]): Span[] => {
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

/** Matches any of the texts, longer ones first. */
const anyOf = (texts: readonly string[]): RegExp =>
  new RegExp(
    texts
      .toSorted((a, b) => b.length - a.length)
      .map((text) => text.replace(/[^\w]/g, '\\$&'))
      .join('|'),
    'g',
  );

/** Hides matches in the unescaped text and keeps the rest unchanged. */
const hideFound = (
  text: string,
  find: (undone: string) => Span[],
  { shown, escapes }: { shown: string; escapes?: readonly RegExp[] },
): string => {
  const rounds = undoAll(text, escapes);
  const found = withoutOverlaps(find(rounds.at(-1)?.text ?? text));
  if (found.length === 0) return text;
  const original = (position: number): number =>
    rounds.reduceRight((at, undone) => originalOf(undone, at), position);
  const parts: string[] = [];
  let done = 0;
  for (const [from, to] of found) {
    parts.push(text.slice(done, original(from)), shown);
    done = original(to);
  }
  return parts.join('') + text.slice(done);
};

/** Also hides matches in quoted-printable text. */
const hideEverywhere = (text: string, find: (undone: string) => Span[], shown: string): string => {
  const hidden = hideFound(text, find, { shown });
  return hidden.search(QUOTED) === -1
    ? hidden
    : hideFound(hidden, find, { shown, escapes: [QUOTED, ...NESTED] });
};

/**
 * Returns a function that hides a secret in texts, in any of these encodings: plain, JSON and
 * JavaScript escapes, percent-encoding, HTML entities (also nested), full-width, quoted-printable,
 * byte numbers, base64, base32 and UTF-16, with or without line breaks. Pass bytes as latin1.
 */
export const hiding = (secret: string): ((text: string) => string) => {
  if (secret.length < SHORTEST_SECRET) return (text) => text;
  const bare = undoAll(secret).at(-1)?.text ?? secret;
  const utf16 = Buffer.from(secret, 'utf16le');
  const bytes = Buffer.from(secret, 'latin1');
  const bases = [bytes, utf16, Buffer.from(utf16).swap16()].flatMap(basesOf);
  const forms = anyOf([...new Set([secret, bare, ...bases])]);
  const numbers = numbersOf(bytes);
  const find = (text: string): Span[] => [...spansOf(text, forms), ...spansOf(text, numbers)];
  return (text) => hideEverywhere(text, find, HIDDEN);
};

/** Returns a function that hides everything with the prefix of keys, for unknown keys in URLs. */
export const hidingKeys = (prefix: string): ((text: string) => string) => {
  const anyKey = new RegExp(`${prefix}[\\w-]+`, 'g');
  const find = (undone: string): Span[] => spansOf(undone, anyKey);
  return (text) => hideEverywhere(text, find, `${prefix}${HIDDEN}`);
};
