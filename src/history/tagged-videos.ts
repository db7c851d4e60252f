import type { Platform } from '../../schema/vocabulary.ts';
import type { Lake } from '../lake/open.ts';
import { present } from '../lake/prepare.ts';
import { prepared } from '../lake/statements.ts';
import { lastKnown } from './last-known.ts';
import { WORDS_THEN } from './words-then.ts';

/** Videos that carried one hashtag, and were seen inside a window. Instants are Unix ms. */
export interface TaggedQuery {
  readonly hashtagKey: number;
  /** Seen after `from`, at or before `asOf`; carried the tag at `asOf`. */
  readonly from: number;
  readonly asOf: number;
}

/** So many videos of a tag are read, the newest to the lake: enough to say what goes with it. */
export const TAGGED_MOST = 5000;

/**
 * SQL: keys of videos that carried the tag at @asOf (by the words they have, or had until later),
 * the newest first.
 */
const CARRIED = `
  select vh.video_key as key from video_hashtag vh join video v on v.key = vh.video_key
    where vh.hashtag_key = @hashtagKey and v.first_seen_at <= @asOf and not exists (
      select 1 from video_revision r where r.video_key = v.key and r.until_at > @asOf)
  union
  select r.video_key from video_revision r join video v on v.key = r.video_key
    where r.until_at > @asOf and v.first_seen_at <= @asOf
    and ',' || coalesce(r.tags, '') || ',' like '%,' || @hashtagKey || ',%'
    and r.until_at = (select min(n.until_at) from video_revision n
      where n.video_key = r.video_key and n.until_at > @asOf)
  order by 1 desc limit ${TAGGED_MOST + 1}`;

const SEEN = `
  carried as materialized (${CARRIED}),
  seen as materialized (
    select c.key, v.platform,
      case when r.video_key is null then v.user else r.user end as user,
      case when r.video_key is not null then coalesce(r.tags, '') end as formerTags,
      (select s.views from video_snapshot s where s.video_key = c.key and s.observed_at > @from
        and s.observed_at <= @asOf order by s.observed_at desc limit 1) as lastViews
    from carried c join video v on v.key = c.key left join video_revision r on ${WORDS_THEN}
    where exists (
      select 1 from video_snapshot s where s.video_key = c.key
        and s.observed_at > @from and s.observed_at <= @asOf))`;

/** What was counted over the videos seen with a tag. */
export interface TaggedCount {
  readonly volume: number;
  /** Of their last snapshots in the window; null where none told any. */
  readonly views: number | null;
  readonly platforms: readonly { platform: Platform; volume: number; views: number | null }[];
  /** False: there are more videos than are read, so these figures are a part. */
  readonly isWhole: boolean;
}

const COUNT = `with ${SEEN}
  select platform, count(*) as volume, sum(lastViews) as views,
    (select count(*) from carried) as carried from seen group by platform`;

/** Distinct videos seen with a tag in a window, by platform. Reads at most `TAGGED_MOST` videos. */
export const taggedCount = (lake: Lake, query: TaggedQuery): TaggedCount => {
  const rows = prepared<{
    platform: Platform;
    volume: number;
    views: number | null;
    carried: number;
  }>(lake, COUNT, { platform: 'text', volume: 'number', views: 'number?', carried: 'number' }).all({
    ...query,
  });
  const known = rows.flatMap(({ views }) => (views === null ? [] : [views]));
  return {
    volume: rows.reduce((sum, { volume }) => sum + volume, 0),
    views: known.length === 0 ? null : known.reduce((sum, views) => sum + views, 0),
    platforms: rows.map(({ platform, volume, views }) => ({ platform, volume, views })),
    isWhole: (rows[0]?.carried ?? 0) <= TAGGED_MOST,
  };
};

/** A hashtag or a creator that goes with a tag, and on how many of its videos. */
export interface Companion {
  readonly name: string;
  readonly videos: number;
}

const TAGS_BESIDE = `with ${SEEN}, beside as (
    select vh.hashtag_key as tag from seen s join video_hashtag vh on vh.video_key = s.key
      where s.formerTags is null
    union all
    select t.value from seen s, json_each('[' || s.formerTags || ']') t where s.formerTags is not null)
  select h.tag as name, count(*) as videos from beside b join hashtag h on h.key = b.tag
  where b.tag <> @hashtagKey group by b.tag order by videos desc, h.key limit @limit`;

/** Hashtags on the videos seen with a tag, the most frequent first. */
export const tagsBeside = (lake: Lake, query: TaggedQuery, limit: number): Companion[] =>
  prepared<Companion>(lake, TAGS_BESIDE, { name: 'text', videos: 'number' }).all({
    ...query,
    limit,
  });

const CREATORS = `with ${SEEN}
  select platform, user as name, count(*) as videos, sum(lastViews) as views from seen
  where user <> '' group by platform, user order by videos desc, views desc, user limit @limit`;

/** Creators of the videos seen with a tag, those of most videos first. */
export const creatorsOfTag = (
  lake: Lake,
  query: TaggedQuery,
  limit: number,
): (Companion & { readonly platform: Platform; readonly views: number | null })[] =>
  prepared<
    Companion & {
      platform: Platform;
      views: number | null;
    }
  >(lake, CREATORS, { name: 'text', videos: 'number', platform: 'text', views: 'number?' }).all({
    ...query,
    limit,
  });

const TOP = `with ${SEEN}
  select key from (select key, ${lastKnown('views', { video: 'seen.key', at: '@asOf' })} as views from seen)
  order by views desc nulls last, key limit @limit offset @offset`;
const HOW_MANY = `with ${SEEN} select count(*) from seen`;

/** Keys of the videos seen with a tag, most views first; `total` counts all that are read. */
export const topTagged = (
  lake: Lake,
  query: TaggedQuery,
  { limit, page }: { limit: number; page: number },
): { total: number; keys: number[] } => ({
  total: present(prepared(lake, HOW_MANY, 'number').get({ ...query })),
  keys: prepared(lake, TOP, 'number').all({ ...query, limit, offset: (page - 1) * limit }),
});
