/** Control characters and writing directions, which could manipulate the terminal. */
const HARMFUL = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Escapes control characters (except line feed and tab) and writing directions as in JSON, so that
 * JSON stays valid.
 */
export const terminalText = (text: string): string => text.replace(HARMFUL, escaped);

/** The same text on one line, without those characters. */
export const terminalLine = (text: string): string =>
  text.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ').trim();

const zip = (from: string, to: string): [string, string][] =>
  [...from].map((character, i) => [character, to[i] ?? character]);

/** ASCII replacements of table and chart characters. */
const ASCII: Readonly<Record<string, string>> = Object.fromEntries([
  ...zip('┌┬┐├┼┤└┴┘─│…', '+++++++++-|~'),
  ...zip('▁▂▃▄▅▆▇█', '_.:-=+*#'),
]);

/** Replaces drawings by ASCII, for terminals and screen readers without Unicode. */
export const asciiText = (text: string): string =>
  text.replace(/[\u2500-\u259f…]/g, (character) => ASCII[character] ?? character);
