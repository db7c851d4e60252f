import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Text whose every character takes one column. */
const NARROW = /^[\x20-\x7e]*$/;

/**
 * Columns of a text in a terminal. string-width takes 15 ms to load, so it is loaded only when
 * needed.
 */
export const displayWidth = (text: string): number => {
  if (NARROW.test(text)) return text.length;
  const { default: stringWidth } = require('string-width') as typeof import('string-width');
  return stringWidth(text);
};
