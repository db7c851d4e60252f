/** Upper median; undefined without values. */
export const middle = (values: readonly number[]): number | undefined =>
  Float64Array.from(values).sort()[values.length >> 1];

/** Interpolated quantile of ascending numbers; NaN without any. */
export const quantile = (ascending: ArrayLike<number>, share: number): number => {
  const at = (ascending.length - 1) * share;
  const below = ascending[Math.floor(at)] ?? Number.NaN;
  const above = ascending[Math.ceil(at)] ?? Number.NaN;
  return below + (at - Math.floor(at)) * (above - below);
};
