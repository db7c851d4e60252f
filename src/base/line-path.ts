/** `margin` stays free above and below. */
export interface LineBox {
  readonly width: number;
  readonly height: number;
  readonly margin: number;
}

export interface LinePath {
  /** Points of an SVG path, joined by `L`. */
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

/** Draws the known views of a timeline; undefined for fewer than two snapshots. */
export const linePath = (
  timeline: readonly { readonly at: number; readonly views: number | null }[],
  { width, height, margin }: LineBox,
): LinePath | undefined => {
  const known = timeline.flatMap(({ at, views }) => (views === null ? [] : [{ at, views }]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || first.at === last.at) return undefined;
  const counts = known.map(({ views }) => views);
  const least = Math.min(...counts);
  const span = Math.max(1, Math.max(...counts) - least);
  const path = known.map(({ at, views }) => {
    const x = ((at - first.at) / (last.at - first.at)) * width;
    const y = height - margin - ((views - least) / span) * (height - 2 * margin);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return { path: path.join('L'), first: first.views, last: last.views };
};
