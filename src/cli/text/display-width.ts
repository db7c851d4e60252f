import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Text whose every character takes one column. */
const NARROW = /^[\x20-\x7e]*$/;

/**
 * Columns that a text takes in a terminal. What knows those of other scripts and of emoji takes 15 ms
 * to load, so that it is loaded for the first text that needs it.
 */
export const displayWidth = (text: string): number => {
  if (NARROW.test(text)) return text.length;
  const { default: stringWidth } = require('string-width') as typeof import('string-width');
  return stringWidth(text);
};
