/**
 * SQL: true if `r` is the revision with the words (title, handle, hashtags) of video `v` at @asOf.
 * Without one, its current words are valid. For a left join.
 */
export const WORDS_THEN = `r.video_key = v.key and r.until_at = (
  select min(n.until_at) from video_revision n where n.video_key = v.key and n.until_at > @asOf)`;
