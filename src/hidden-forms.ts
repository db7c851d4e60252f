// A service, a proxy or a page of errors may say a secret back in another spelling than it was sent in:
// escaped in JSON, in an address, in HTML, in base64. Every spelling is hidden before anything is kept.

/** A shorter secret, such as a stand-in's "test", is a word that titles and field names hold too. */
const SHORTEST_SECRET = 8;
const HIDDEN = '[hidden]';
/** How often one escape may stand inside another. */
const ROUNDS = 3;

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
 * One escape of JSON, addresses or HTML, or what may stand between two characters: the backslash of an
 * escape, the end of a line, the zeros of UTF-16. Repeats are bounded: what is made to cost much does not.
 */
const ESCAPE = new RegExp(
  [
    String.raw`\\{1,8}[rn]|\\{1,8}(?:u00|x)(?<json>[\da-f]{2})|\\{1,8}`,
    String.raw`%(?<percent>[\da-f]{2})`,
    String.raw`&#0{0,6}(?<decimal>\d{2,3});?|&#x0{0,6}(?<hex>[\da-f]{2});?`,
    `&(?<name>${Object.keys(ENTITIES).join('|')});?`,
    String.raw`[\r\n\0]{1,8}`,
  ].join('|'),
  'gi',
);

/** The character that an escape stands for; '' for what stands between two. */
const meantBy = (groups: Record<string, string | undefined>): string => {
  const code = groups.json ?? groups.percent ?? groups.hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (groups.decimal !== undefined) return String.fromCharCode(Number(groups.decimal));
  return groups.name === undefined ? '' : (ENTITIES[groups.name.toLowerCase()] ?? '');
};

/** A text with its escapes undone, and where in the text before each position of it was. */
interface Undone {
  readonly text: string;
  /** Ascending, in pairs: a position here and the position there that it came from. */
  readonly positions: readonly (readonly [here: number, there: number])[];
}

const undo = (text: string): Undone => {
  const parts: string[] = [];
  const positions: [number, number][] = [[0, 0]];
  let here = 0;
  let there = 0;
  for (const match of text.matchAll(ESCAPE)) {
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
const undoAll = (text: string): Undone[] => {
  const rounds: Undone[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const undone = undo(rounds.at(-1)?.text ?? text);
    if (undone.positions.length === 1) break; // nothing was escaped
    rounds.push(undone);
  }
  return rounds;
};

/**
 * The parts of a text's base64 that are the same whatever stands before and after it: one for each of
 * the three positions it may begin at, in both alphabets.
 */
const base64Of = (text: string): string[] =>
  [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text, 'latin1')]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) =>
      bytes.toString(form).slice(first, last),
    );
  });

/** Where one of the forms stands, from left to right and apart. */
const findAll = (text: string, forms: readonly string[]): (readonly [number, number])[] => {
  const found: (readonly [number, number])[] = [];
  for (const form of forms)
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length))
      found.push([at, at + form.length]);
  return found
    .sort(([a], [b]) => a - b)
    .filter(([from], index) => index === 0 || from >= (found[index - 1]?.[1] ?? 0));
};

/** Hides what `find` finds in a text whose escapes are undone; all else of it stays as it is. */
const hideFound = (
  text: string,
  find: (undone: string) => (readonly [number, number])[],
  shown: string,
): string => {
  const rounds = undoAll(text);
  const found = find(rounds.at(-1)?.text ?? text);
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

/**
 * Hides a secret in texts, however it is spelt: as it is, escaped as in JSON (`\u`, `\/`),
 * percent-encoded, as HTML entities (each also inside another), in hexadecimal, base64 or UTF-16, in
 * lines or not. Bytes are passed in as latin1. What is no spelling of the secret stays as it is.
 */
export const hiding = (secret: string): ((text: string) => string) => {
  if (secret.length < SHORTEST_SECRET) return (text) => text;
  const bare = undoAll(secret).at(-1)?.text ?? secret;
  const hex = Buffer.from(secret, 'latin1').toString('hex');
  const forms = [...new Set([secret, bare, hex, hex.toUpperCase(), ...base64Of(secret)])];
  return (text) => hideFound(text, (undone) => findAll(undone, forms), HIDDEN);
};

/** Hides whatever begins as every key does: who logs an address does not know whose key is in it. */
export const hidingKeys = (prefix: string): ((text: string) => string) => {
  const anyKey = new RegExp(`${prefix}[\\w-]+`, 'g');
  const find = (undone: string): (readonly [number, number])[] =>
    [...undone.matchAll(anyKey)].map((match) => [match.index, match.index + match[0].length]);
  return (text) => hideFound(text, find, `${prefix}${HIDDEN}`);
};
