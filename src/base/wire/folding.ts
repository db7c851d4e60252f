/** Normalises a tag, handle or subject for comparison: NFKC, lower case. */
export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase();

/** A handle without a leading `@`. */
export const plainHandle = (handle: string): string => handle.replace(/^@/, '');

/** Normalises a creator's handle for comparison, with or without `@`. */
export const foldHandle = (handle: string): string => plainHandle(foldName(handle));

// Combining accents, Hebrew points and Arabic vowel signs, which are optional in writing.
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f]/g;

/** Normalises text for search, without accents: `𝗖𝗮𝗳é` and `cafe` are equal. */
export const foldWords = (text: string): string =>
  foldName(text).normalize('NFD').replace(ACCENTS, '').normalize('NFC');
