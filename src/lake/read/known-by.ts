/**
 * SQL: whether the lake knows a video (an alias of `video`) as of an instant: seen by then, or never
 * seen at all. What was imported without a snapshot is dated by nothing, so it is known always.
 */
export const knownBy = (video: string, at: string): string =>
  `(${video}.first_seen_at is null or ${video}.first_seen_at <= ${at})`;
