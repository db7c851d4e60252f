/** Bytes that a bound of a text column may take in a file's footer. */
const LONGEST = 64;
const LAST_CODE_POINT = 0x10ffff;

/** The first bytes of a text in UTF-8, whole characters only, as a copy. */
const beginning = (text: Buffer): Buffer => {
  let end = Math.min(text.length, LONGEST);
  while (end < text.length && end > 0 && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.from(text.subarray(0, end));
};

/** A text of at most 64 bytes that no byte order puts after `text`: itself or its beginning. */
export const leastWithin = (text: Buffer): Buffer => beginning(text);

/** The next character; surrogates are not characters. */
const after = (codePoint: number): number => (codePoint === 0xd7ff ? 0xe000 : codePoint + 1);

/**
 * A text of at most 64 bytes (or a few more) that no byte order puts before `text`: itself, or its
 * beginning with the last character raised; undefined where no character can be raised.
 */
export const greatestWithin = (text: Buffer): Buffer | undefined => {
  const begun = beginning(text);
  if (begun.length === text.length) return begun;
  const characters = [...begun.toString('utf8')];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const codePoint = last.codePointAt(0) ?? 0;
    if (codePoint < LAST_CODE_POINT)
      return Buffer.from(`${characters.join('')}${String.fromCodePoint(after(codePoint))}`);
  }
  return undefined;
};
