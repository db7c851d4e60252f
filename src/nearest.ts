import { distance } from 'fastest-levenshtein';

/** A third of a name may be mistyped, and two letters of a short one. */
const isNear = (edits: number, length: number): boolean => edits <= Math.max(2, length / 3);

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** The known name that a written one was likely meant to be; undefined where none is like it. */
const nearestName = (written: string, known: readonly string[]): string | undefined => {
  const text = plain(written).slice(0, 64);
  const edits = known.map((name) => distance(text, plain(name)));
  const fewest = Math.min(...edits);
  return isNear(fewest, text.length) ? known[edits.indexOf(fewest)] : undefined;
};

/** ` Did you mean x?`, to be put behind a sentence; '' where nothing known is like it. */
export const didYouMean = (written: string, known: readonly string[]): string => {
  const name = nearestName(written, known);
  return name === undefined ? '' : ` Did you mean ${name}?`;
};
