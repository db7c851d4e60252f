import { distance } from 'fastest-levenshtein';

/** Allows a third of the letters to differ, at least two. */
const isNear = (edits: number, length: number): boolean => edits <= Math.max(2, length / 3);

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** Length difference: swapped letters are likelier than missing ones. */
const lengthGap = (text: string, name: string): number =>
  Math.abs(plain(name).length - text.length);

/** Most similar known name; undefined if none is similar. */
const nearestName = (written: string, known: readonly string[]): string | undefined => {
  const text = plain(written).slice(0, 64);
  const [best] = known
    .map((name) => ({ name, edits: distance(text, plain(name)) }))
    .sort((a, b) => a.edits - b.edits || lengthGap(text, a.name) - lengthGap(text, b.name));
  return best !== undefined && isNear(best.edits, text.length) ? best.name : undefined;
};

/** Suffix ` Did you mean x?`; '' if no known name is similar. */
export const didYouMean = (written: string, known: readonly string[]): string => {
  const name = nearestName(written, known);
  return name === undefined ? '' : ` Did you mean ${name}?`;
};

const SHORTEST = 4;

/** The known name that a written one misspells: equal but for case and `_`, or one or two letters off. */
export const misspelt = (written: string, known: readonly string[]): string | undefined => {
  const text = plain(written).slice(0, 64);
  return known.find((name) => {
    const edits = distance(text, plain(name));
    const length = Math.min(text.length, plain(name).length);
    return edits === 0 || (length >= SHORTEST && edits <= (length > SHORTEST ? 2 : 1));
  });
};
