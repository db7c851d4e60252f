import { raw } from 'hono/html';
import type { TimelinePoint } from '../../history/timeline.ts';

const WIDTH = 84;
const HEIGHT = 24;
const MARGIN = 2;

/** A timeline's views as a line without words; nothing where fewer than two snapshots tell views. */
export const spark = (timeline: readonly Pick<TimelinePoint, 'at' | 'views'>[]) => {
  const known = timeline.flatMap(({ at, views }) => (views === null ? [] : [{ at, views }]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || first === last) return raw('');
  const views = known.map((point) => point.views);
  const [least, most] = [Math.min(...views), Math.max(...views)];
  const x = (at: number): number => ((at - first.at) / (last.at - first.at)) * WIDTH;
  const y = (count: number): number =>
    HEIGHT - MARGIN - ((count - least) / Math.max(1, most - least)) * (HEIGHT - 2 * MARGIN);
  const line = known.map((p) => `${x(p.at).toFixed(1)} ${y(p.views).toFixed(1)}`).join('L');
  return raw(
    `<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="under" d="M0 ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}Z"/><path d="M${line}"/></svg>`,
  );
};
