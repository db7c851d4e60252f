/** The form under which spellings of one name (a tag, a handle, a subject) are equal: NFKC, lower case. */
export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase();

/** A handle without the `@` that people write before it. */
export const plainHandle = (handle: string): string => handle.replace(/^@/, '');

/** The form under which spellings of one creator's handle are equal, with a leading `@` or without. */
export const foldHandle = (handle: string): string => plainHandle(foldName(handle));

// Combining accents, Hebrew points, Arabic vowel signs: written or left out at will.
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f]/g;

/** Text as search compares it: as names are folded, and without accents. `𝗖𝗮𝗳é` and `cafe` are the same. */
export const foldWords = (text: string): string =>
  foldName(text).normalize('NFD').replace(ACCENTS, '').normalize('NFC');
