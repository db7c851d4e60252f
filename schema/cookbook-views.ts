import { sql } from 'drizzle-orm';
import { integer, real, sqliteView, text } from 'drizzle-orm/sqlite-core';
import { isoDate, isoTime, sourceWord } from './view-sql.ts';
import { sourceCode, VIEW_MILESTONES } from './vocabulary.ts';

// Views that answer what people ask. docs/guides/cookbook.md shows them at work.

const DAY_MS = 86_400_000;

/** Every completely pulled list, with titles, handles and counts as known at that time. */
export const feedHistory = sqliteView('feed_history', {
  list: text('list').notNull(), // `feed` or `trends`
  platform: text('platform').notNull(),
  period: text('period').notNull(),
  date: text('date').notNull(), // UTC day of the pull, `YYYY-MM-DD`
  capturedAt: text('captured_at').notNull(), // ISO 8601, UTC; instant of the last page
  rank: integer('rank').notNull(), // 1 = top
  id: text('id').notNull(),
  title: text('title'), // at that time
  user: text('user'), // at that time
  views: integer('views'), // at that time
  likes: integer('likes'), // at that time
  velocity: real('velocity'), // views per hour, as pulled
}).as(
  sql`select c.list as list, c.platform as platform, c.period as period, ${isoDate('c.completed_at')} as date, ${isoTime('c.completed_at')} as captured_at, r.rank as rank, v.id as id, cast(case when w.video_key is null then v.title else w.title end as text) as title, cast(case when w.video_key is null then v.user else w.user end as text) as user, cast((select s.views from video_snapshot s where s.video_key = v.key and s.observed_at <= c.completed_at and s.views is not null order by s.observed_at desc limit 1) as integer) as views, cast((select s.likes from video_snapshot s where s.video_key = v.key and s.observed_at <= c.completed_at and s.likes is not null order by s.observed_at desc limit 1) as integer) as likes, r.velocity as velocity from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key left join video_revision w on w.video_key = v.key and w.until_at = (select min(n.until_at) from video_revision n where n.video_key = v.key and n.until_at > c.completed_at) where c.completed_at is not null`,
);

/** Hashtag volumes with the platforms side by side. */
export const hashtagVolumes = sqliteView('hashtag_volumes', {
  tag: text('tag').notNull(),
  window: text('window'), // such as `30d`
  source: text('source').notNull(), // `hashtags` (pulled), `seen` (counted in the lake) or `import`
  observedAt: text('observed_at').notNull(), // ISO 8601, UTC
  volume: integer('volume'), // total of all platforms; null: only parts are known
  tiktok: integer('tiktok'),
  instagram: integer('instagram'),
  youtube: integer('youtube'),
}).as(
  sql`select h.tag as tag, s.window as window, ${sourceWord('s.source')} as source, ${isoTime('s.observed_at')} as observed_at, cast(max(s.volume) filter (where s.platform = '') as integer) as volume, cast(max(s.volume) filter (where s.platform = 'tiktok') as integer) as tiktok, cast(max(s.volume) filter (where s.platform = 'instagram') as integer) as instagram, cast(max(s.volume) filter (where s.platform = 'youtube') as integer) as youtube from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key group by s.hashtag_key, s.observed_at, s.window, s.source`,
);

/**
 * Newest volume of each hashtag and the volume a week before, for the same platform, window and
 * source. Choose either the rows of platform `all` or the others. `change` is null for volumes counted
 * over the videos in the lake.
 */
export const hashtagTrend = sqliteView('hashtag_trend', {
  tag: text('tag').notNull(),
  platform: text('platform').notNull(), // `all` for the total
  window: text('window'), // such as `30d`
  source: text('source').notNull(), // `hashtags` (pulled), `seen` (counted in the lake) or `import`
  volume: integer('volume').notNull(),
  observedAt: text('observed_at').notNull(), // ISO 8601, UTC
  volumeBefore: integer('volume_before'), // 7 to 8 days before; null: none
  observedBefore: text('observed_before'), // ISO 8601, UTC
  change: real('change'), // volume / volume_before - 1
}).as(
  sql`select h.tag as tag, cast(case l.platform when '' then 'all' else l.platform end as text) as platform, l.window as window, ${sourceWord('l.source')} as source, l.volume as volume, ${isoTime('l.at')} as observed_at, b.volume as volume_before, ${isoTime('b.observed_at')} as observed_before, cast(case when l.source = ${sql.raw(String(sourceCode('hashtags')))} then l.volume * 1.0 / nullif(b.volume, 0) - 1 end as real) as change from (select hashtag_key, platform, window, source, volume, max(observed_at) as at from hashtag_snapshot where volume is not null group by hashtag_key, platform, window, source) l join hashtag h on h.key = l.hashtag_key left join hashtag_snapshot b on b.hashtag_key = l.hashtag_key and b.platform = l.platform and b.observed_at = (select max(n.observed_at) from hashtag_snapshot n where n.hashtag_key = l.hashtag_key and n.platform = l.platform and n.window is l.window and n.source = l.source and n.volume is not null and n.observed_at <= l.at - ${sql.raw(String(7 * DAY_MS))} and n.observed_at > l.at - ${sql.raw(String(8 * DAY_MS))})`,
);

/**
 * Creators by follower growth against one to two weeks before, fastest first. Creators without two
 * such counts are left out.
 */
export const creatorsRising = sqliteView('creators_rising', {
  platform: text('platform').notNull(),
  handle: text('handle').notNull(),
  followers: integer('followers').notNull(),
  observedAt: text('observed_at').notNull(), // ISO 8601, UTC
  followersBefore: integer('followers_before').notNull(),
  observedBefore: text('observed_before').notNull(), // ISO 8601, UTC
  gainedPerDay: real('gained_per_day').notNull(),
  change: real('change'), // followers / followers_before - 1
}).as(
  sql`select c.platform as platform, c.handle as handle, l.followers as followers, ${isoTime('l.at')} as observed_at, b.followers as followers_before, ${isoTime('b.observed_at')} as observed_before, cast((l.followers - b.followers) * ${sql.raw(`${DAY_MS}.0`)} / (l.at - b.observed_at) as real) as gained_per_day, cast(l.followers * 1.0 / nullif(b.followers, 0) - 1 as real) as change from (select creator_key, followers, max(observed_at) as at from creator_snapshot where followers is not null group by creator_key) l join creator c on c.key = l.creator_key join creator_snapshot b on b.creator_key = l.creator_key and b.observed_at = (select max(n.observed_at) from creator_snapshot n where n.creator_key = l.creator_key and n.followers is not null and n.observed_at <= l.at - ${sql.raw(String(7 * DAY_MS))} and n.observed_at > l.at - ${sql.raw(String(14 * DAY_MS))}) order by 8 desc, 7 desc`,
);

const MILESTONES = sql.raw(
  VIEW_MILESTONES.map((views) => `select cast(${views} as integer) as milestone`).join(
    ' union all ',
  ),
);

/**
 * Time from publication to 10,000, 100,000, 1, 10 and 100 million views, interpolated between snapshots.
 * `state` says when it is not known, and the bounds give what is. Zero counts were hidden counts.
 */
export const videoMilestones = sqliteView('video_milestones', {
  id: text('id').notNull(),
  platform: text('platform').notNull(),
  milestone: integer('milestone').notNull(), // views
  state: text('state').notNull(), // `reached`; `before`: above it when first seen; `not yet`: below it when last seen
  reachedAt: text('reached_at'), // ISO 8601, UTC; interpolated; null unless reached
  hours: real('hours'), // from publication to reached_at
  hoursAtLeast: real('hours_at_least'), // age at the last snapshot below it
  hoursAtMost: real('hours_at_most'), // age at the first snapshot above it
}).as(
  sql`select v.id as id, v.platform as platform, m.milestone as milestone, cast(case when u.video_key is null then 'not yet' when d.video_key is null then 'before' else 'reached' end as text) as state, ${isoTime('(d.observed_at + (u.observed_at - d.observed_at) * (m.milestone - d.views) / (u.views - d.views))')} as reached_at, cast((d.observed_at + (u.observed_at - d.observed_at) * (m.milestone - d.views) * 1.0 / (u.views - d.views) - v.created_at) / 3600000.0 as real) as hours, cast((d.observed_at - v.created_at) / 3600000.0 as real) as hours_at_least, cast((u.observed_at - v.created_at) / 3600000.0 as real) as hours_at_most from (${MILESTONES}) m cross join video v left join video_snapshot u on u.video_key = v.key and u.observed_at = (select min(n.observed_at) from video_snapshot n where n.video_key = v.key and n.views >= m.milestone) left join video_snapshot d on d.video_key = v.key and d.observed_at = (select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.views > 0 and n.views < m.milestone and n.observed_at < coalesce(u.observed_at, 9007199254740991)) where u.video_key is not null or d.video_key is not null`,
);

/**
 * Time of videos in each pulled list. `hours` adds up the time between two pulls that both list the
 * video.
 */
export const listStays = sqliteView('list_stays', {
  list: text('list').notNull(), // `feed` or `trends`
  platform: text('platform').notNull(),
  period: text('period').notNull(),
  id: text('id').notNull(),
  firstSeenAt: text('first_seen_at').notNull(), // ISO 8601, UTC; first pull with it
  lastSeenAt: text('last_seen_at').notNull(), // ISO 8601, UTC; latest pull with it
  bestRank: integer('best_rank').notNull(), // 1 = top
  pulls: integer('pulls').notNull(), // pulls that list it
  hours: real('hours').notNull(),
  isThereNow: integer('is_there_now').notNull(), // 1: in the newest pull
}).as(
  sql`with pull as (select key, list, platform, period, completed_at as at, lead(key) over w as next_key, lead(completed_at) over w as next_at from capture where completed_at is not null window w as (partition by list, platform, period order by captured_at)), stood as (select p.list, p.platform, p.period, r.video_key, p.at, p.next_at, p.next_key, min(r.rank) as rank, exists (select 1 from ranking n where n.video_key = r.video_key and n.capture_key = p.next_key) as stays from pull p join ranking r on r.capture_key = p.key group by p.key, r.video_key) select s.list as list, s.platform as platform, s.period as period, v.id as id, ${isoTime('min(s.at)')} as first_seen_at, ${isoTime('max(s.at)')} as last_seen_at, cast(min(s.rank) as integer) as best_rank, cast(count(*) as integer) as pulls, cast(total(case when s.stays then s.next_at - s.at end) / 3600000.0 as real) as hours, cast(max(s.next_key is null) as integer) as is_there_now from stood s join video v on v.key = s.video_key group by s.list, s.platform, s.period, s.video_key`,
);
