/** A count of a video that a snapshot may hide. */
export type Count = 'views' | 'likes';

/** Condition of a known count: not null, or above 0 for readers to whom 0 means hidden. */
export type Telling = 'is not null' | '> 0';

/** SQL expressions: a video's key, and the instant (Unix ms) as of which its count is wanted. */
interface OfVideo {
  readonly video: string;
  readonly at: string;
  readonly telling?: Telling;
}

const tellingSnapshots = (count: Count, { video, at, telling = 'is not null' }: OfVideo): string =>
  `from video_snapshot known where known.video_key = ${video} and known.observed_at <= ${at}
    and known.${count} ${telling}`;

/**
 * SQL for the last known count of a video at an instant: that of the newest snapshot with a count.
 * Null without one. Reads the end of one timeline.
 */
export const lastKnown = (count: Count, of: OfVideo): string =>
  `(select known.${count} ${tellingSnapshots(count, of)} order by known.observed_at desc limit 1)`;

/** SQL for the instant (Unix ms) of the snapshot that `lastKnown` takes its count from. */
export const lastKnownAt = (count: Count, of: OfVideo): string =>
  `(select max(known.observed_at) ${tellingSnapshots(count, of)})`;
