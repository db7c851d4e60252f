import { sql } from 'drizzle-orm';
import { integer, sqliteView, text } from 'drizzle-orm/sqlite-core';
import { isoDate, isoTime } from './view-sql.ts';
import { sourceCode } from './vocabulary.ts';

// Views that sum up platforms and days.

/**
 * Hashtags and creator handles found on more than one platform, with their number of videos. Equal
 * handles may belong to different people.
 */
export const platformOverlap = sqliteView('platform_overlap', {
  kind: text('kind').notNull(), // `hashtag` or `creator`
  name: text('name').notNull(),
  platforms: integer('platforms').notNull(), // number of platforms
  tiktok: integer('tiktok').notNull(), // videos
  instagram: integer('instagram').notNull(), // videos
  youtube: integer('youtube').notNull(), // videos
}).as(
  sql`select cast('hashtag' as text) as kind, h.tag as name, cast(count(distinct v.platform) as integer) as platforms, cast(sum(v.platform = 'tiktok') as integer) as tiktok, cast(sum(v.platform = 'instagram') as integer) as instagram, cast(sum(v.platform = 'youtube') as integer) as youtube from video_hashtag vh join video v on v.key = vh.video_key join hashtag h on h.key = vh.hashtag_key group by vh.hashtag_key having count(distinct v.platform) > 1 union all select 'creator', coalesce(n.folded, v.user), count(distinct v.platform), sum(v.platform = 'tiktok'), sum(v.platform = 'instagram'), sum(v.platform = 'youtube') from video v left join handle_spelling n on n.handle = v.user where coalesce(n.folded, v.user) <> '' group by 2 having count(distinct v.platform) > 1`,
);

/** SQL: first observation of a snapshot's video that no growth timeline filled in later. */
const FIRST_SIGHT = `(select min(f.observed_at) from video_snapshot f where f.video_key = s.video_key and f.source <> ${sourceCode('growth')})`;

/** Observations per UTC day and platform. A day without a row was not observed. */
export const dailySummary = sqliteView('daily_summary', {
  date: text('date').notNull(), // `YYYY-MM-DD`, UTC
  platform: text('platform').notNull(),
  videosSeen: integer('videos_seen').notNull(), // distinct
  videosNew: integer('videos_new').notNull(), // first seen on that day, not counting growth timelines
  snapshots: integer('snapshots').notNull(),
  lists: integer('lists').notNull(), // complete lists
  events: integer('events').notNull(), // by day of occurrence
}).as(
  sql`with seen as (select ${isoDate('s.observed_at')} as date, v.platform as platform, count(distinct s.video_key) as videos, count(distinct case when ${isoDate('s.observed_at')} = ${isoDate(FIRST_SIGHT)} then s.video_key end) as fresh, count(*) as snapshots from video_snapshot s join video v on v.key = s.video_key group by 1, 2), pulled as (select ${isoDate('completed_at')} as date, platform, count(*) as lists from capture where completed_at is not null group by 1, 2), noticed as (select ${isoDate('occurred_at')} as date, platform, count(*) as events from events group by 1, 2) select s.date as date, s.platform as platform, cast(s.videos as integer) as videos_seen, cast(s.fresh as integer) as videos_new, cast(s.snapshots as integer) as snapshots, cast(coalesce(p.lists, 0) as integer) as lists, cast(coalesce(n.events, 0) as integer) as events from seen s left join pulled p on p.date = s.date and p.platform = s.platform left join noticed n on n.date = s.date and n.platform = s.platform order by 1, 2`,
);

/** Events, newest first. */
export const eventsRecent = sqliteView('events_recent', {
  id: text('id').notNull(),
  kind: text('kind').notNull(),
  platform: text('platform'),
  subject: text('subject').notNull(),
  occurredAt: text('occurred_at').notNull(),
  detectedAt: text('detected_at').notNull(),
  origin: text('origin').notNull(),
  data: text('data').notNull(),
}).as(
  sql`select e.id as id, e.kind as kind, e.platform as platform, e.subject as subject, ${isoTime('e.occurred_at')} as occurred_at, ${isoTime('e.detected_at')} as detected_at, e.origin as origin, e.data as data from events e order by e.occurred_at desc`,
);
