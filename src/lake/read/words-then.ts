/**
 * SQL: whether `r` is the revision that holds the words (title, handle, hashtags) of video `v` as of
 * @asOf. Where there is none, they are those that the video has now. For a left join.
 */
export const WORDS_THEN = `r.video_key = v.key and r.until_at = (
  select min(n.until_at) from video_revision n where n.video_key = v.key and n.until_at > @asOf)`;
