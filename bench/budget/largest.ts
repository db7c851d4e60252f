import { Largest } from '../../src/learn/budget/largest.ts';

/** Numbers of the `count` largest positive values, ties by number. */
export const largest = (values: Float64Array, count: number): number[] => {
  const found = new Largest(count);
  for (const [i, value] of values.entries()) found.add(value, i, i);
  return found.items.map(({ item }) => item);
};
