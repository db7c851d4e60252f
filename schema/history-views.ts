import { sql } from 'drizzle-orm';
import { integer, real, sqliteView, text } from 'drizzle-orm/sqlite-core';
import { isoTime, snapshotRate, sourceWord } from './view-sql.ts';

// Counts over time, for people.

/**
 * Counts of a video over time, with the gain since the row before. If `views_gained` is 0 and `source`
 * is not `growth` or `import`, the count may be a repeated one (see `video_snapshots`).
 */
export const videoHistory = sqliteView('video_history', {
  id: text('id').notNull(),
  observedAt: text('observed_at').notNull(),
  views: integer('views'),
  likes: integer('likes'),
  engagementRate: real('engagement_rate'), // percent
  viewsGained: integer('views_gained'), // since the row before
  hoursSince: real('hours_since'), // since the row before; null: first row
  source: text('source').notNull(), // feed, trends, growth, search, creator or import
}).as(
  sql`select v.id as id, ${isoTime('s.observed_at')} as observed_at, s.views as views, s.likes as likes, ${snapshotRate} as engagement_rate, cast(s.views - lag(s.views) over w as integer) as views_gained, cast((s.observed_at - lag(s.observed_at) over w) / 3600000.0 as real) as hours_since, ${sourceWord('s.source')} as source from video_snapshot s join video v on v.key = s.video_key window w as (partition by v.id order by s.observed_at)`,
);

/** Hashtag volumes over time. An empty `platform` is the total. */
export const hashtagHistory = sqliteView('hashtag_history', {
  tag: text('tag').notNull(),
  platform: text('platform').notNull(),
  observedAt: text('observed_at').notNull(),
  volume: integer('volume'), // distinct videos in `window`
  views: integer('views'),
  change: real('change'), // volume / volume of the window before - 1, as pulled
  window: text('window'), // such as `30d`
  source: text('source').notNull(), // `hashtags` (pulled), `seen` (counted in the lake) or `import`
}).as(
  sql`select h.tag as tag, s.platform as platform, ${isoTime('s.observed_at')} as observed_at, s.volume as volume, s.views as views, s.change as change, s.window as window, ${sourceWord('s.source')} as source from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key`,
);

/** Counts of creators over time. A count equal to the one before may be a repeated one. */
export const creatorHistory = sqliteView('creator_history', {
  platform: text('platform').notNull(),
  handle: text('handle').notNull(),
  observedAt: text('observed_at').notNull(),
  followers: integer('followers'),
  videoCount: integer('video_count'),
  views: integer('views'),
  likes: integer('likes'),
}).as(
  sql`select c.platform as platform, c.handle as handle, ${isoTime('s.observed_at')} as observed_at, s.followers as followers, s.video_count as video_count, s.views as views, s.likes as likes from creator_snapshot s join creator c on c.key = s.creator_key`,
);
