/** A count of a video that a snapshot may hide. */
export type Count = 'views' | 'likes';

/** What tells a count: anything but null; or anything above 0, for readers to whom a 0 is one that is hidden. */
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
 * SQL for the last count of a video known at an instant, the one rule for it: that of the newest
 * snapshot until then which tells it. A snapshot that hides a count takes nothing away; null where
 * none told it. Reads the end of one timeline.
 */
export const lastKnown = (count: Count, of: OfVideo): string =>
  `(select known.${count} ${tellingSnapshots(count, of)} order by known.observed_at desc limit 1)`;

/** SQL for the instant (Unix ms) of the snapshot that `lastKnown` takes its count from. */
export const lastKnownAt = (count: Count, of: OfVideo): string =>
  `(select max(known.observed_at) ${tellingSnapshots(count, of)})`;
