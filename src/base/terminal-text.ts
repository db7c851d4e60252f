/** What moves a cursor, talks to the terminal, or turns the direction of what follows. */
const HARMFUL = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Text as a terminal may have it, whoever wrote it: control characters (C0 but line feed and tab,
 * DEL, C1) and those of writing direction are written out, as in JSON, so that JSON stays what it is.
 */
export const terminalText = (text: string): string => text.replace(HARMFUL, escaped);

/** The same on one line, without them: for a title in a table. */
export const terminalLine = (text: string): string =>
  text.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ').trim();

const zip = (from: string, to: string): [string, string][] =>
  [...from].map((character, i) => [character, to[i] ?? character]);

/** What tables and curves are drawn with, each as one character of ASCII. */
const ASCII: Readonly<Record<string, string>> = Object.fromEntries([
  ...zip('┌┬┐├┼┤└┴┘─│…', '+++++++++-|~'),
  ...zip('▁▂▃▄▅▆▇█', '_.:-=+*#'),
]);

/** Drawings in ASCII, for a terminal or a reader that has nothing else. */
export const asciiText = (text: string): string =>
  text.replace(/[\u2500-\u259f…]/g, (character) => ASCII[character] ?? character);
