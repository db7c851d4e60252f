import { raw } from 'hono/html';
import { linePath } from '../../base/line-path.ts';
import type { TimelinePoint } from '../../lake/read/timeline.ts';
import { NOTHING } from './html.ts';

const BOX = { width: 84, height: 24, margin: 2 };

/** Small line of a video's views, empty with fewer than two known counts. */
export const spark = (timeline: readonly Pick<TimelinePoint, 'at' | 'views'>[]) => {
  const line = linePath(timeline, BOX);
  if (line === undefined) return NOTHING;
  const { width, height } = BOX;
  return raw(
    `<svg class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path class="under" d="M0 ${height}L${line.path}L${width} ${height}Z"/><path d="M${line.path}"/></svg>`,
  );
};
