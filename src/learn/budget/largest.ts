/**
 * Positions of the `count` largest values above 0, largest first; of equal values, those with the
 * lower order first. Sorts numbers alone, because a comparator takes a second for a million.
 */
export const largest = (
  values: Float64Array,
  count: number,
  orderOf: (position: number) => number = (position) => position,
): number[] => {
  const least =
    values
      .filter((value) => value > 0)
      .sort()
      .at(-count) ?? 0;
  const found: number[] = [];
  for (const [position, value] of values.entries())
    if (value > 0 && value >= least) found.push(position);
  return found
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || orderOf(a) - orderOf(b))
    .slice(0, count);
};
