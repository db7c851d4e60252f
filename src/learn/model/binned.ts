/** Bin 0 holds unknown values. */
export const BINS = 32;

export interface Binned {
  readonly rows: number;
  readonly bins: readonly Uint8Array[];
  /** [feature]: upper edges; bin b + 1 holds values over edge b - 1 and at most edge b. */
  readonly edges: readonly Float32Array[];
}

const edgesOf = (column: Float32Array): Float32Array => {
  const step = Math.max(1, Math.floor(column.length / 20_000));
  const known = column.filter((value, row) => row % step === 0 && !Number.isNaN(value)).sort();
  const edges: number[] = [];
  for (let bin = 1; bin < BINS - 1; bin++) {
    const edge = known[Math.floor((bin * known.length) / (BINS - 1))];
    if (edge !== undefined && edge !== edges.at(-1)) edges.push(edge);
  }
  return Float32Array.from(edges);
};

const binOf = (edges: Float32Array, value: number): number => {
  if (Number.isNaN(value)) return 0;
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= (edges[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low + 1;
};

/** @param columns one for each feature; NaN: unknown */
export const binned = (rows: number, columns: readonly Float32Array[]): Binned => {
  const edges = columns.map(edgesOf);
  const bins = columns.map((column, feature) =>
    Uint8Array.from(column, (value) => binOf(edges[feature] as Float32Array, value)),
  );
  return { rows, bins, edges };
};
