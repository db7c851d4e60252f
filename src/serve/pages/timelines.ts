import { type TimelinePoint, timeline, videoByIdAsOf } from '../../lake/read/timeline.ts';
import type { ServiceContext } from '../request/context.ts';

/** Reads snapshots of a video until an instant (Unix ms); none for videos known from a list only. */
export const timelinesOf =
  ({ lake }: Pick<ServiceContext, 'lake'>): ((id: string, at: number) => TimelinePoint[]) =>
  (id, at) => {
    const found = videoByIdAsOf(lake, id, at);
    return found === undefined ? [] : timeline(lake, found.key, at);
  };
