import { type TimelinePoint, timeline, videoByIdAsOf } from '../../history/timeline.ts';
import type { ServiceContext } from '../context.ts';

/** How listed videos grew; no snapshots where the lake knows one from the list only. */
export const timelinesOf =
  ({ lake }: Pick<ServiceContext, 'lake'>, at: number): ((id: string) => TimelinePoint[]) =>
  (id) => {
    const found = videoByIdAsOf(lake, id, at);
    return found === undefined ? [] : timeline(lake, found.key, at);
  };
