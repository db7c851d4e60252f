import { type SQL, sql } from 'drizzle-orm';
import { integer, real, sqliteView, text } from 'drizzle-orm/sqlite-core';
import { isoTime, snapshotRate, sourceWord } from './view-sql.ts';

// Public names over the compact storage. Filters on ids, platforms, tags and times use its indexes.

/** Videos with their latest known values: `title` or caption, `user` who posted it, counts. */
export const videos = sqliteView('videos', {
  id: text('id').notNull(),
  platform: text('platform').notNull(),
  title: text('title'),
  user: text('user'),
  views: integer('views'),
  likes: integer('likes'),
  engagementRate: real('engagement_rate'),
  createdAt: integer('created_at'),
  firstSeenAt: integer('first_seen_at'), // Unix ms of the earliest observation
  lastSeenAt: integer('last_seen_at'), // Unix ms of the latest observation
  extra: text('extra'),
  collectedAt: integer('collected_at'), // Unix ms; when this lake first loaded it; null: before 0.2
  engagementRateShown: real('engagement_rate_shown'), // percent; null above 100 or under 100 views
}).as(
  sql`select v.id as id, v.platform as platform, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, v.created_at as created_at, v.first_seen_at as first_seen_at, cast(coalesce((select max(s.observed_at) from video_snapshot s where s.video_key = v.key), v.first_seen_at) as integer) as last_seen_at, v.extra as extra, v.collected_at as collected_at, cast(case when v.views >= 100 and v.engagement_rate <= 100 then v.engagement_rate end as real) as engagement_rate_shown from video v`,
);

/**
 * Counts of videos over time, one row per video and instant. Lists, searches and profiles may repeat
 * an earlier count: if `source` is not `growth` or `import` and the counts equal those of the row
 * before, the count may be old. The service and the dashboard leave such rows out.
 */
export const videoSnapshots = sqliteView('video_snapshots', {
  videoId: text('video_id').notNull(),
  observedAt: integer('observed_at').notNull(),
  views: integer('views'),
  likes: integer('likes'),
  engagementRate: real('engagement_rate'), // percent
  source: text('source').notNull(), // feed, trends, growth, search, creator or import
  extra: text('extra'),
}).as(
  sql`select v.id as video_id, s.observed_at as observed_at, s.views as views, s.likes as likes, ${snapshotRate} as engagement_rate, ${sourceWord('s.source')} as source, s.extra as extra from video_snapshot s join video v on v.key = s.video_key`,
);

/** Pulled lists, one row per list, instant and rank. Imported lists have source and region as `period`. */
export const rankings = sqliteView('rankings', {
  list: text('list').notNull(), // `feed`, `trends`, or `import` for imported ranks
  platform: text('platform').notNull(),
  period: text('period').notNull(),
  capturedAt: integer('captured_at').notNull(),
  rank: integer('rank').notNull(),
  videoId: text('video_id').notNull(),
  total: integer('total'),
  runId: integer('run_id'),
  score: real('score'),
  velocity: real('velocity'),
}).as(
  sql`select c.list as list, c.platform as platform, c.period as period, c.captured_at as captured_at, r.rank as rank, v.id as video_id, c.total as total, c.run_id as run_id, r.score as score, r.velocity as velocity from ranking r join capture c on c.key = r.capture_key join video v on v.key = r.video_key where c.completed_at is not null`,
);

const latestTagNumber = (column: string, known = column === 'views' ? column : 'volume'): SQL =>
  sql.raw(
    `(select s.${column} from hashtag_snapshot s where s.hashtag_key = h.key and s.${known} is not null order by s.platform <> '', s.observed_at desc limit 1)`,
  );

/** Hashtags with their latest known volume: over all platforms if known, or else of one platform. */
export const hashtags = sqliteView('hashtags', {
  tag: text('tag').notNull(),
  volume: integer('volume'), // distinct videos in `window`
  views: integer('views'),
  firstSeenAt: integer('first_seen_at'),
  window: text('window'), // such as `30d`
}).as(
  sql`select h.tag as tag, ${latestTagNumber('volume')} as volume, ${latestTagNumber('views')} as views, h.first_seen_at as first_seen_at, ${latestTagNumber('window')} as window from hashtag h`,
);

/**
 * Hashtag volumes over time. An empty `platform` is the total of the platform rows, so never add them
 * up. `hashtag_volumes` has them side by side. Never compare volumes of different windows or sources.
 */
export const hashtagSnapshots = sqliteView('hashtag_snapshots', {
  tag: text('tag').notNull(),
  platform: text('platform').notNull(),
  observedAt: integer('observed_at').notNull(),
  volume: integer('volume'), // distinct videos in `window`
  views: integer('views'),
  change: real('change'), // volume / volume of the window before - 1, as pulled
  rank: integer('rank'), // 1 = top; null: platform row or import
  source: text('source').notNull(), // `hashtags` (pulled), `seen` (counted in the lake) or `import`
  extra: text('extra'),
  window: text('window'), // such as `30d`
}).as(
  sql`select h.tag as tag, s.platform as platform, s.observed_at as observed_at, s.volume as volume, s.views as views, s.change as change, s.rank as rank, ${sourceWord('s.source')} as source, s.extra as extra, s.window as window from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key`,
);

/** Hashtags of each video. */
export const videoHashtags = sqliteView('video_hashtags', {
  videoId: text('video_id').notNull(),
  tag: text('tag').notNull(),
  position: integer('position').notNull(),
}).as(
  sql`select v.id as video_id, h.tag as tag, vh.position as position from video_hashtag vh join video v on v.key = vh.video_key join hashtag h on h.key = vh.hashtag_key`,
);

/** Creators whose profile was pulled, with their latest known values. */
export const creators = sqliteView('creators', {
  platform: text('platform').notNull(),
  handle: text('handle').notNull(),
  followers: integer('followers'),
  videoCount: integer('video_count'),
  views: integer('views'),
  likes: integer('likes'),
  engagementRate: real('engagement_rate'),
  firstSeenAt: integer('first_seen_at').notNull(),
  lastSeenAt: integer('last_seen_at').notNull(), // Unix ms of the latest snapshot
  extra: text('extra'),
}).as(
  sql`select c.platform as platform, c.handle as handle, c.followers as followers, c.video_count as video_count, c.views as views, c.likes as likes, c.engagement_rate as engagement_rate, c.first_seen_at as first_seen_at, cast(coalesce((select max(s.observed_at) from creator_snapshot s where s.creator_key = c.key), c.first_seen_at) as integer) as last_seen_at, c.extra as extra from creator c`,
);

/** Counts of creators over time, one row per creator and instant. */
export const creatorSnapshots = sqliteView('creator_snapshots', {
  platform: text('platform').notNull(),
  handle: text('handle').notNull(),
  observedAt: integer('observed_at').notNull(),
  followers: integer('followers'),
  videoCount: integer('video_count'),
  views: integer('views'),
  likes: integer('likes'),
  source: text('source').notNull(), // feed, trends, growth, search, creator or import
  extra: text('extra'),
}).as(
  sql`select c.platform as platform, c.handle as handle, s.observed_at as observed_at, s.followers as followers, s.video_count as video_count, s.views as views, s.likes as likes, ${sourceWord('s.source')} as source, s.extra as extra from creator_snapshot s join creator c on c.key = s.creator_key`,
);

/** Columns of the newest lists. */
const currentList = {
  platform: text('platform').notNull(),
  period: text('period').notNull(),
  rank: integer('rank').notNull(),
  id: text('id').notNull(),
  title: text('title'),
  user: text('user'),
  views: integer('views'),
  likes: integer('likes'),
  engagementRate: real('engagement_rate'),
  velocity: real('velocity'),
  createdAt: text('created_at'),
  capturedAt: text('captured_at').notNull(),
};

const currentListQuery = (list: 'feed' | 'trends'): SQL =>
  sql`select c.platform as platform, c.period as period, r.rank as rank, v.id as id, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, r.velocity as velocity, ${isoTime('v.created_at')} as created_at, ${isoTime('c.captured_at')} as captured_at from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.list = ${sql.raw(`'${list}'`)} and c.captured_at = (select max(n.captured_at) from capture n where n.list = c.list and n.platform = c.platform and n.period = c.period and n.completed_at is not null) order by c.platform, c.period, r.rank`;

/** Newest feed of each platform, best first. */
export const feedNow = sqliteView('feed_now', currentList).as(currentListQuery('feed'));

/** Newest trends of each platform and period, best first. */
export const trendsNow = sqliteView('trends_now', currentList).as(currentListQuery('trends'));

/** Videos by publication time, newest first. */
export const freshVideos = sqliteView('fresh_videos', {
  id: text('id').notNull(),
  platform: text('platform').notNull(),
  title: text('title'),
  user: text('user'),
  views: integer('views'),
  likes: integer('likes'),
  engagementRate: real('engagement_rate'),
  createdAt: text('created_at'),
  firstSeenAt: text('first_seen_at'),
}).as(
  sql`select v.id as id, v.platform as platform, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, ${isoTime('v.created_at')} as created_at, ${isoTime('v.first_seen_at')} as first_seen_at from video v where v.created_at is not null order by v.created_at desc`,
);
