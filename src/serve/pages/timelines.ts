import { type TimelinePoint, timeline, videoByIdAsOf } from '../../lake/read/timeline.ts';
import type { ServiceContext } from '../request/context.ts';

/** How listed videos grew until an instant (Unix ms); no snapshots where the lake knows one from the list only. */
export const timelinesOf =
  ({ lake }: Pick<ServiceContext, 'lake'>): ((id: string, at: number) => TimelinePoint[]) =>
  (id, at) => {
    const found = videoByIdAsOf(lake, id, at);
    return found === undefined ? [] : timeline(lake, found.key, at);
  };
