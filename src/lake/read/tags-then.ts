/**
 * SQL for the keys of the hashtags of video `v` as of an instant, by comma: those it had until it got
 * others, else those it has. Null or empty: none.
 */
export const tagsThen = (at: string): string => `coalesce(
  (select coalesce(n.tags, '') from video_revision n where n.video_key = v.key and n.until_at > ${at}
    order by n.until_at limit 1),
  (select group_concat(vh.hashtag_key) from video_hashtag vh where vh.video_key = v.key))`;
