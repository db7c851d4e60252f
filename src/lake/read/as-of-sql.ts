// SQL fragments of what the lake knew of a video at an instant (Unix ms).

/**
 * SQL: true if the lake knew a video (an alias of `video`) at an instant: seen by then, or never seen at
 * all. Videos imported without a snapshot have no date, so they are always known.
 */
export const knownBy = (video: string, at: string): string =>
  `(${video}.first_seen_at is null or ${video}.first_seen_at <= ${at})`;

/**
 * SQL: true if the revision `r` has the words (title, handle, hashtags) of video `v` at an instant.
 * Without one, its current words are valid. For a left join.
 */
export const hasWordsThen = (
  r: string,
  at: string,
): string => `${r}.video_key = v.key and ${r}.until_at = (
  select min(n.until_at) from video_revision n where n.video_key = v.key and n.until_at > ${at})`;

/** The same for the revision `r` at @asOf. */
export const WORDS_THEN = hasWordsThen('r', '@asOf');

/** SQL for a title or handle of video `v`, beside a left join on `hasWordsThen`. */
export const wordThen = (column: 'title' | 'user', r = 'r'): string =>
  `case when ${r}.video_key is null then v.${column} else ${r}.${column} end`;

/** SQL for the hashtags of video `v` in their order, a JSON array, beside a left join on `WORDS_THEN`. */
export const TAGS_THEN = `case when r.video_key is null
  then (select json_group_array(h.tag order by vh.position, vh.hashtag_key)
    from video_hashtag vh join hashtag h on h.key = vh.hashtag_key where vh.video_key = v.key)
  else (select json_group_array(h.tag order by t.key)
    from json_each('[' || coalesce(r.tags, '') || ']') t join hashtag h on h.key = t.value) end`;

/**
 * SQL for the keys of the hashtags of video `v` as of an instant, by comma: those it had until it got
 * others, else those it has. Null or empty: none.
 */
export const tagKeysThen = (at: string): string => `coalesce(
  (select coalesce(n.tags, '') from video_revision n where n.video_key = v.key and n.until_at > ${at}
    order by n.until_at limit 1),
  (select group_concat(vh.hashtag_key) from video_hashtag vh where vh.video_key = v.key))`;

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
