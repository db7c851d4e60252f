/**
 * A computed list, best first. Its entries are rows of a fixed number of numbers, so that thousands of
 * them are kept, and sent between threads, in one piece. NaN: not known.
 */
export interface Ranking {
  readonly total: number;
  /** The rows of the first ranks, as deep as wanted and as far as the list goes. */
  readonly rows: Float64Array;
}

/** Greatest depth of a kept list, and least depth that is sorted. */
export const KEPT_DEPTH = 5000;

/** A number of a row, or `otherwise` if it is unknown. */
export const knownOr = <T>(value: number | undefined, otherwise: T): number | T =>
  value === undefined || Number.isNaN(value) ? otherwise : value;

/**
 * The `entries` that may be among the first `depth`: as many, and all that equal the last of them,
 * by the number that decides first (greatest first, no NaN). Sorting all takes several times as long.
 */
const topEntries = (
  entries: Uint32Array,
  depth: number,
  leading: (entry: number) => number,
): Uint32Array => {
  if (entries.length <= 2 * depth) return entries;
  const leads = Float64Array.from(entries, leading);
  const least = leads.toSorted().at(-depth) as number;
  return entries.filter((_, index) => (leads[index] as number) >= least);
};

/** Ranks `entries` (any numbers) by `compare`, which uses `leading` first. */
export const rankingOf = (
  entries: Uint32Array,
  options: {
    depth: number;
    width: number;
    leading: (entry: number) => number;
    compare: (a: number, b: number) => number;
    rowOf: (entry: number) => ArrayLike<number>;
  },
): Ranking => {
  const { depth, width, leading, compare, rowOf } = options;
  const top = topEntries(entries, depth, leading).toSorted(compare).subarray(0, depth);
  const rows = new Float64Array(width * top.length);
  for (const [index, entry] of top.entries()) rows.set(rowOf(entry), width * index);
  return { total: entries.length, rows };
};
