import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { type RowOf, required } from '../prepare.ts';
import { prepared } from '../statements.ts';
import { lastKnown, tagKeysThen, WORDS_THEN, wordThen } from './as-of-sql.ts';

/** Videos that carried one hashtag, and were seen inside a window. Instants are Unix ms. */
export interface TaggedQuery {
  readonly hashtagKey: number;
  /** Seen after `from`, at or before `asOf`; carried the tag at `asOf`. */
  readonly from: number;
  readonly asOf: number;
}

/** Number of videos of a tag that are read, the newest of the lake. */
export const TAGGED_MOST = 5000;

/**
 * SQL: keys of videos that carried the tag at @asOf, the newest first. A video keeps its tags, so those
 * it had then are among those it has now.
 */
const CARRIED = `
  select vh.video_key as key from video_hashtag vh join video v on v.key = vh.video_key
    left join video_revision r on ${WORDS_THEN}
  where vh.hashtag_key = @hashtagKey and v.first_seen_at <= @asOf and (r.video_key is null
    or instr(',' || coalesce(r.tags, '') || ',', ',' || @hashtagKey || ','))
  order by vh.video_key desc limit ${TAGGED_MOST + 1}`;

/** One video seen with the tag; `views` as last known, `lastViews` those of its last snapshot in the window. */
const TAGGED = {
  key: 'number',
  platform: 'platform',
  user: 'text?',
  tags: 'text?', // keys, by comma
  lastViews: 'number?',
  views: 'number?',
  carried: 'number',
} as const;
type Tagged = RowOf<typeof TAGGED>;

const SEEN = `
  with carried as materialized (${CARRIED})
  select c.key, v.platform, ${wordThen('user')} as user,
    ${tagKeysThen('@asOf')} as tags, l.views as lastViews,
    ${lastKnown('views', { video: 'c.key', at: '@asOf' })} as views,
    (select count(*) from carried) as carried
  from carried c join video v on v.key = c.key left join video_revision r on ${WORDS_THEN}
  join video_snapshot l on l.video_key = c.key and l.observed_at = (
    select max(n.observed_at) from video_snapshot n
    where n.video_key = c.key and n.observed_at > @from and n.observed_at <= @asOf)`;

/** Counts over the videos seen with a tag. */
export interface TaggedCount {
  readonly volume: number;
  /** Of their last snapshots in the window; null if none has views. */
  readonly views: number | null;
  readonly platforms: readonly { platform: Platform; volume: number; views: number | null }[];
  /** False: there are more videos than are read, so these figures are a part. */
  readonly isWhole: boolean;
}

/** A hashtag or a creator that goes with a tag, and on how many of its videos. */
export interface Companion {
  readonly name: string;
  readonly videos: number;
}

/**
 * A creator of videos with a tag; `views` of their last snapshots in the window, null if none has
 * views.
 */
export interface TagCreator extends Companion {
  readonly platform: Platform;
  readonly views: number | null;
}

/** Sum of the known views; null if none are known. */
const viewsOf = (videos: readonly Tagged[]): number | null => {
  const known = videos.flatMap(({ lastViews }) => lastViews ?? []);
  return known.length === 0 ? null : known.reduce((sum, views) => sum + views, 0);
};

const countOf = (videos: readonly Tagged[]): TaggedCount => ({
  volume: videos.length,
  views: viewsOf(videos),
  platforms: PLATFORMS.flatMap((platform) => {
    const own = videos.filter((video) => video.platform === platform);
    return own.length === 0 ? [] : [{ platform, volume: own.length, views: viewsOf(own) }];
  }),
  isWhole: (videos[0]?.carried ?? 0) <= TAGGED_MOST,
});

/** Hashtags on the videos, the most frequent first. */
const tagsBeside = (
  lake: Lake,
  videos: readonly Tagged[],
  { hashtagKey, companions }: TaggedPageQuery,
): Companion[] => {
  const counts = new Map<number, number>();
  for (const { tags } of videos)
    for (const text of tags ? tags.split(',') : []) {
      const key = Number(text);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  counts.delete(hashtagKey);
  const tag = prepared(lake, 'select tag from hashtag where key = ?', 'text');
  return [...counts]
    .sort(([key, videosOf], [other, videosOther]) => videosOther - videosOf || key - other)
    .slice(0, companions)
    .map(([key, count]) => ({ name: required(tag.get(key)), videos: count }));
};

/** Creators of the videos, those of most videos first. */
const creatorsOf = (videos: readonly Tagged[], most: number): TagCreator[] =>
  [...Map.groupBy(videos, ({ platform, user }) => `${platform} ${user ?? ''}`).values()]
    .flatMap((own): TagCreator[] => {
      const { platform, user } = own[0] as Tagged;
      return user ? [{ platform, name: user, videos: own.length, views: viewsOf(own) }] : [];
    })
    .sort(
      (a, b) =>
        b.videos - a.videos || (b.views ?? -1) - (a.views ?? -1) || (a.name < b.name ? -1 : 1),
    )
    .slice(0, most);

/** Query of one hashtag's page: number of companions, and a page of its videos. */
export interface TaggedPageQuery extends TaggedQuery {
  readonly companions: number;
  readonly limit: number;
  readonly page: number;
}

/** The videos seen with a tag in a window, counted, with what goes with it, and a page of them. */
export interface TaggedPage {
  readonly count: TaggedCount;
  /** Hashtags on the same videos. */
  readonly tags: readonly Companion[];
  readonly creators: readonly TagCreator[];
  /** Keys of the page's videos, most views first. */
  readonly keys: readonly number[];
}

/** Reads at most `TAGGED_MOST` videos, once: of a large tag some 50 ms. */
export const taggedPage = (lake: Lake, query: TaggedPageQuery): TaggedPage => {
  const { hashtagKey, from, asOf, companions, limit, page } = query;
  const videos = prepared(lake, SEEN, TAGGED).all({ hashtagKey, from, asOf });
  const byViews = videos.toSorted((a, b) => (b.views ?? -1) - (a.views ?? -1) || a.key - b.key);
  return {
    count: countOf(videos),
    tags: tagsBeside(lake, videos, query),
    creators: creatorsOf(videos, companions),
    keys: byViews.slice((page - 1) * limit, page * limit).map(({ key }) => key),
  };
};
