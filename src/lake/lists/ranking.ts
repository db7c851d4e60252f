/**
 * A computed list, best first. Its entries are rows of a fixed number of numbers, so that thousands of
 * them are kept, and sent between threads, in one piece. NaN: not known.
 */
export interface Ranking {
  readonly total: number;
  /** The rows of ranks `from` + 1 to `to`, as far as the list goes. */
  rows(from: number, to: number): Float64Array;
}

/** Greatest depth of a kept list, and least depth that is sorted. */
export const KEPT_DEPTH = 5000;

/**
 * The `entries` that may be among the first `depth`: as many, and all that equal the last of them,
 * by the number that decides first (greatest first, no NaN).
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
 * Ranks `entries` (any numbers) by `compare`, which uses `leading` first. `rowOf` writes the row of
 * an entry. Sorts only as deep as needed.
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
