import { sql } from 'drizzle-orm';
import { integer, sqliteView, text } from 'drizzle-orm/sqlite-core';
import { isoDate } from './view-sql.ts';

// Views over watches, entries of lists, and calls.

/** Results of watched searches and hashtags, best first by `rank`. */
export const searchHits = sqliteView('search_hits', {
  watchId: text('watch_id').notNull(),
  capturedAt: integer('captured_at').notNull(), // Unix ms; instant of the first page
  rank: integer('rank').notNull(), // 1 = top
  videoId: text('video_id').notNull(),
  total: integer('total'), // as stated by the service
}).as(
  sql`select s.watch_id as watch_id, s.captured_at as captured_at, s.rank as rank, v.id as video_id, s.total as total from search_hit s join video v on v.key = s.video_key`,
);

/**
 * Videos that the watches of a tag cover: by id, by creator, by hashtag, and by search. Paused watches
 * count, removed ones do not.
 */
export const taggedVideos = sqliteView('tagged_videos', {
  tag: text('tag').notNull(),
  videoId: text('video_id').notNull(),
}).as(
  sql`select t.tag as tag, v.id as video_id from watch_tags t join watches w on w.id = t.watch_id and w.kind = 'video' join video v on v.id = w.subject union select t.tag, v.id from watch_tags t join watches w on w.id = t.watch_id and w.kind = 'creator' join video v on v.platform = w.platform and v.user in (select w.subject union all select n.handle from handle_spelling n where n.folded = w.subject) union select t.tag, v.id from watch_tags t join watches w on w.id = t.watch_id and w.kind = 'hashtag' join hashtag h on h.folded = w.subject join video_hashtag vh on vh.hashtag_key = h.key join video v on v.key = vh.video_key and w.platform in ('', v.platform) union select t.tag, v.id from watch_tags t join watches w on w.id = t.watch_id join search_hit s on s.watch_id = w.id join video v on v.key = s.video_key`,
);

/**
 * Videos that entered a list: listed now, but not by the pull before. The first pull of a list has no
 * entries.
 */
export const listEntries = sqliteView('list_entries', {
  list: text('list').notNull(), // `feed` or `trends`
  platform: text('platform').notNull(),
  period: text('period').notNull(),
  videoId: text('video_id').notNull(),
  enteredAt: integer('entered_at').notNull(), // Unix ms of the pull
  rank: integer('rank').notNull(), // 1 = top
  previousRank: integer('previous_rank'), // when it was listed last; null: never before
}).as(
  sql`select c.list as list, c.platform as platform, c.period as period, v.id as video_id, c.captured_at as entered_at, r.rank as rank, (select o.rank from ranking o join capture b on b.key = o.capture_key where o.video_key = r.video_key and b.list = c.list and b.platform = c.platform and b.period = c.period and b.captured_at < c.captured_at and b.completed_at is not null order by b.captured_at desc limit 1) as previous_rank from (select n.*, (select p.key from capture p where p.list = n.list and p.platform = n.platform and p.period = n.period and p.captured_at < n.captured_at and p.completed_at is not null order by p.captured_at desc limit 1) as previous_key from capture n where n.list in ('feed', 'trends', 'import') and n.completed_at is not null) c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.previous_key is not null and not exists (select 1 from ranking x where x.video_key = r.video_key and x.capture_key = c.previous_key)`,
);

/**
 * Calls and the videos they brought into the lake, by UTC day, platform and job. An empty platform is
 * a call for all platforms, or one outside a run.
 */
export const callsByPlatform = sqliteView('calls_by_platform', {
  day: text('day').notNull(), // `YYYY-MM-DD`, UTC
  platform: text('platform').notNull(),
  job: text('job').notNull(),
  calls: integer('calls').notNull(), // that left the machine
  newVideos: integer('new_videos').notNull(),
}).as(
  sql`select ${isoDate('c.sent_at')} as day, cast(coalesce(i.request_json ->> 'platform', '') as text) as platform, c.job as job, cast(sum(c.sent) as integer) as calls, cast(coalesce(sum(c.new_videos), 0) as integer) as new_videos from calls c left join run_items i on i.run_id = c.run_id and i.job = c.job and i.request = c.request group by 1, 2, 3`,
);
