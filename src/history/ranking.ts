/**
 * A computed list, best first. Its entries are rows of a fixed number of numbers, so that thousands of
 * them are kept, and sent between threads, in one piece. NaN: not known.
 */
export interface Ranking {
  readonly total: number;
  /** The rows of ranks `from` + 1 to `to`, as far as the list goes. */
  rows(from: number, to: number): Float64Array;
}

/** The ranking of `entries` (any numbers) in the order of `compare`; `rowOf` writes an entry's row. */
export const rankingOf = (
  entries: Uint32Array,
  compare: (a: number, b: number) => number,
  { width, rowOf }: { width: number; rowOf: (entry: number) => readonly number[] },
): Ranking => {
  const order = entries.sort(compare);
  return {
    total: order.length,
    rows: (from, to) => {
      const part = order.subarray(from, to);
      const rows = new Float64Array(width * part.length);
      for (const [index, entry] of part.entries()) rows.set(rowOf(entry), width * index);
      return rows;
    },
  };
};
