/**
 * A computed list, best first. Its entries are rows of a fixed number of numbers, so that thousands of
 * them are kept, and sent between threads, in one piece. NaN: not known.
 */
export interface Ranking {
  readonly total: number;
  /** The rows of ranks `from` + 1 to `to`, as far as the list goes. */
  rows(from: number, to: number): Float64Array;
}

/** How deep a list can be kept, and is put in order at least. */
export const KEPT_DEPTH = 5000;

/**
 * Those of `entries` that can be among the first `depth`: as many, and whatever is equal to the last of
 * them, by the number that decides first (greatest first, none of them NaN).
 */
const topRows = (
  entries: Uint32Array,
  depth: number,
  leading: (entry: number) => number,
): Uint32Array => {
  if (entries.length <= 2 * depth) return entries;
  const leads = new Float64Array(entries.length);
  for (let index = 0; index < leads.length; index++)
    leads[index] = leading(entries[index] as number);
  const least = leads.slice().sort().at(-depth) as number;
  return entries.filter((_, index) => (leads[index] as number) >= least);
};

/**
 * The ranking of `entries` (any numbers) in the order of `compare`, which goes by `leading` first;
 * `rowOf` writes an entry's row. What is never asked for is never put in order.
 */
export const rankingOf = (
  entries: Uint32Array,
  compare: (a: number, b: number) => number,
  options: {
    width: number;
    leading: (entry: number) => number;
    rowOf: (entry: number) => readonly number[];
  },
): Ranking => {
  const { width, leading, rowOf } = options;
  let order = new Uint32Array();
  const orderedTo = (to: number): Uint32Array => {
    if (order.length < Math.min(to, entries.length))
      order = topRows(entries, Math.max(to, KEPT_DEPTH), leading).slice().sort(compare);
    return order;
  };
  return {
    total: entries.length,
    rows: (from, to) => {
      const part = orderedTo(to).subarray(from, to);
      const rows = new Float64Array(width * part.length);
      for (const [index, entry] of part.entries()) rows.set(rowOf(entry), width * index);
      return rows;
    },
  };
};
