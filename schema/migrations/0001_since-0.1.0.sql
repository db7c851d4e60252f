DROP VIEW `rankings`;
DROP VIEW `hashtags`;
DROP VIEW `creator_history`;
DROP VIEW `creator_snapshots`;
DROP VIEW `creators`;
DROP VIEW `events_recent`;
DROP VIEW `feed_now`;
DROP VIEW `fresh_videos`;
DROP VIEW `hashtag_history`;
DROP VIEW `hashtag_snapshots`;
DROP VIEW `trends_now`;
DROP VIEW `video_history`;
DROP VIEW `video_snapshots`;
DROP VIEW `videos`;
CREATE TABLE `__new_capture` (
	`key` integer PRIMARY KEY NOT NULL,
	`list` text NOT NULL,
	`platform` text NOT NULL,
	`period` text NOT NULL,
	`captured_at` integer NOT NULL,
	`completed_at` integer,
	`total` integer,
	`run_id` integer
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_capture`("key", "list", "platform", "period", "captured_at", "completed_at", "total", "run_id") SELECT "key", "list", "platform", "period", "captured_at", "completed_at", "total", "run_id" FROM `capture`;--> statement-breakpoint
UPDATE `__new_capture` SET `completed_at` = null WHERE EXISTS (
	SELECT 1 FROM `run_items` i WHERE i.`run_id` = `__new_capture`.`run_id` AND i.`job` = `__new_capture`.`list` AND i.`state` <> 'done'
	AND i.`request` LIKE CASE `__new_capture`.`list` WHEN 'hashtags' THEN 'GET /hashtags?%' WHEN 'feed' THEN 'GET /feed/' || `__new_capture`.`platform` || '?%' ELSE 'GET /trends/' || `__new_capture`.`platform` || '/' || `__new_capture`.`period` || '?%' END
);--> statement-breakpoint
DROP TABLE `capture`;--> statement-breakpoint
ALTER TABLE `__new_capture` RENAME TO `capture`;--> statement-breakpoint
CREATE INDEX `capture_platform` ON `capture` (`platform`,`captured_at`);--> statement-breakpoint
CREATE INDEX `capture_captured_at` ON `capture` (`captured_at`);--> statement-breakpoint
CREATE INDEX `capture_completed_at` ON `capture` (`completed_at`);--> statement-breakpoint
CREATE INDEX `capture_run` ON `capture` (`run_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `capture_identity` ON `capture` (`list`,`platform`,`period`,`captured_at`);--> statement-breakpoint
ALTER TABLE `calls` ADD `sent` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `calls_found_nobody` ON `calls` (`sent_at`) WHERE sent = 0;
-- What makes a word changed: marks begin none, and no phrase goes from one hashtag to the next. Every
-- video's words are put in again by whoever writes to the lake next.
INSERT OR IGNORE INTO `search_pending` SELECT `key` FROM `video`;
ALTER TABLE `hashtag_snapshot` ADD `window` text;--> statement-breakpoint
UPDATE `hashtag_snapshot` SET `window` = (
	SELECT c.`period` FROM `capture` c WHERE c.`list` = 'hashtags' AND c.`captured_at` <= `observed_at` AND (c.`completed_at` IS NULL OR c.`completed_at` >= `observed_at`)
	ORDER BY c.`captured_at` DESC LIMIT 1
) WHERE `source` = 6;--> statement-breakpoint
CREATE TABLE `delivery_due` (
	`subscription_id` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `delivery_due_at` ON `delivery_due` (`due_at`);
--> statement-breakpoint
INSERT INTO `delivery_due` (`subscription_id`, `due_at`)
SELECT d.`subscription_id`, max(min(d.`next_attempt_at`), coalesce(s.`paused_until`, 0))
FROM `deliveries` d JOIN `subscriptions` s ON s.`id` = d.`subscription_id`
WHERE d.`state` = 'pending' AND s.`disabled_at` IS NULL GROUP BY d.`subscription_id`;
CREATE TABLE `forecast` (
	`video_key` integer NOT NULL,
	`made_at` integer NOT NULL,
	`horizon_hours` integer NOT NULL,
	`views_median` integer,
	`views_low` integer,
	`views_high` integer,
	`top_probability` real NOT NULL,
	`model_id` integer NOT NULL,
	PRIMARY KEY(`video_key`, `made_at`, `horizon_hours`),
	FOREIGN KEY (`video_key`) REFERENCES `video`(`key`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`model_id`) REFERENCES `models`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `forecast_made_at` ON `forecast` (`made_at`);--> statement-breakpoint
CREATE TABLE `models` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`platform` text NOT NULL,
	`learnt_at` integer NOT NULL,
	`learnt_until` integer NOT NULL,
	`samples` integer NOT NULL,
	`scores` text NOT NULL,
	`parameters` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `models_kind` ON `models` (`platform`,`kind`,`learnt_at`);--> statement-breakpoint
CREATE TABLE `creator_revision` (
	`creator_key` integer NOT NULL,
	`until_at` integer NOT NULL,
	`engagement_rate` real,
	`extra` text,
	PRIMARY KEY(`creator_key`, `until_at`),
	FOREIGN KEY (`creator_key`) REFERENCES `creator`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `extra_revision` (
	`video_key` integer NOT NULL,
	`until_at` integer NOT NULL,
	`fields` text NOT NULL,
	PRIMARY KEY(`video_key`, `until_at`),
	FOREIGN KEY (`video_key`) REFERENCES `video`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `video_revision` ADD `tags` text;--> statement-breakpoint
CREATE INDEX `video_revision_until_at` ON `video_revision` (`until_at`);--> statement-breakpoint
INSERT INTO `creator_revision` SELECT c.`key`, max(s.`observed_at`), null, null FROM `creator` c JOIN `creator_snapshot` s ON s.`creator_key` = c.`key`
WHERE c.`engagement_rate` IS NOT NULL OR c.`extra` IS NOT NULL GROUP BY c.`key` HAVING count(*) > 1;
CREATE TABLE `conditions` (
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`began_at` integer NOT NULL,
	`detail` text NOT NULL,
	`told_at` integer,
	`ended_at` integer,
	`end_told_at` integer,
	PRIMARY KEY(`kind`, `subject`, `began_at`)
) STRICT, WITHOUT ROWID;
ALTER TABLE `quota_hint` RENAME COLUMN "said" TO "stated";
CREATE TABLE `handle_spelling` (
	`folded` text NOT NULL,
	`handle` text NOT NULL,
	PRIMARY KEY(`folded`, `handle`)
) STRICT, WITHOUT ROWID;
-- Handles of lakes from before; what is loaded from here on is written with its videos and creators.
INSERT OR IGNORE INTO `handle_spelling` SELECT fold_handle(`user`), `user` FROM (
  SELECT `user` FROM `video` UNION SELECT `user` FROM `video_revision` UNION SELECT `handle` FROM `creator`
) WHERE `user` IS NOT NULL;
CREATE TABLE `hashtag_forecast` (
	`hashtag_key` integer NOT NULL,
	`platform` text NOT NULL,
	`made_at` integer NOT NULL,
	`horizon_hours` integer NOT NULL,
	`volume_median` integer NOT NULL,
	`volume_low` integer NOT NULL,
	`volume_high` integer NOT NULL,
	`model_id` integer NOT NULL,
	PRIMARY KEY(`hashtag_key`, `platform`, `made_at`, `horizon_hours`),
	FOREIGN KEY (`hashtag_key`) REFERENCES `hashtag`(`key`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`model_id`) REFERENCES `models`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `hashtag_forecast_made_at` ON `hashtag_forecast` (`made_at`);--> statement-breakpoint
CREATE INDEX `handle_spelling_handle` ON `handle_spelling` (`handle`);--> statement-breakpoint
CREATE TABLE `__new_quota_hint` (
	`key` text DEFAULT '' NOT NULL,
	`name` text NOT NULL,
	`stated` text NOT NULL,
	`window_ms` integer,
	`quota` integer,
	`remaining` integer,
	`resets_at` integer,
	`seen_at` integer NOT NULL,
	`call_id` integer NOT NULL,
	PRIMARY KEY(`key`, `name`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_quota_hint`("key", "name", "stated", "window_ms", "quota", "remaining", "resets_at", "seen_at", "call_id") SELECT '', "name", "stated", "window_ms", "quota", "remaining", "resets_at", "seen_at", "call_id" FROM `quota_hint`;--> statement-breakpoint
DROP TABLE `quota_hint`;--> statement-breakpoint
ALTER TABLE `__new_quota_hint` RENAME TO `quota_hint`;--> statement-breakpoint
ALTER TABLE `calls` ADD `key` text;--> statement-breakpoint
CREATE INDEX `calls_key` ON `calls` (`key`,`sent_at`);--> statement-breakpoint
ALTER TABLE `pause` ADD `key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `pause_key` ON `pause` (`key`);
ALTER TABLE `run_items` RENAME COLUMN "ask" TO "request_json";
ALTER TABLE `import_progress` ADD `oldest_at` integer;--> statement-breakpoint
ALTER TABLE `import_progress` ADD `newest_at` integer;--> statement-breakpoint
UPDATE `import_progress` SET (`oldest_at`, `newest_at`) =
  (SELECT min(`observed_at`), max(`observed_at`) FROM `video_snapshot` WHERE `source` = 5);
-- Hashtags of a video before its words changed, which 0.1.0 did not keep: those it has, without those that
-- first stand in a later title.
UPDATE `video_revision` SET `tags` = (
	SELECT coalesce(group_concat(t.`hashtag_key`, ',' ORDER BY t.`position`, t.`hashtag_key`), '')
	FROM `video_hashtag` t JOIN `hashtag` h ON h.`key` = t.`hashtag_key`
	WHERE t.`video_key` = `video_revision`.`video_key` AND coalesce((
		SELECT min(w.`at`) FROM (
			SELECT `until_at` AS `at`, `title` FROM `video_revision` WHERE `video_key` = t.`video_key`
			UNION ALL SELECT 9007199254740991, `title` FROM `video` WHERE `key` = t.`video_key`
		) w WHERE instr(lower(w.`title`), '#' || lower(h.`tag`)) > 0
	), 0) <= `video_revision`.`until_at`
) WHERE `tags` IS NULL;
ALTER TABLE `slots` ADD `owner` text;--> statement-breakpoint
ALTER TABLE `slots` ADD `done_at` integer;--> statement-breakpoint
ALTER TABLE `slots` ADD `missed` text;--> statement-breakpoint
CREATE INDEX `slots_open` ON `slots` (`job`) WHERE done_at is null and missed is null;--> statement-breakpoint
-- slots of before are as done as anybody can say
UPDATE `slots` SET `done_at` = `claimed_at`;
CREATE TABLE `search_hit` (
	`watch_id` text NOT NULL,
	`captured_at` integer NOT NULL,
	`rank` integer NOT NULL,
	`video_key` integer NOT NULL,
	`total` integer,
	PRIMARY KEY(`watch_id`, `captured_at`, `rank`),
	FOREIGN KEY (`watch_id`) REFERENCES `watches`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`video_key`) REFERENCES `video`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `search_hit_video` ON `search_hit` (`video_key`);--> statement-breakpoint
CREATE TABLE `watch_tags` (
	`watch_id` text NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`watch_id`, `tag`),
	FOREIGN KEY (`watch_id`) REFERENCES `watches`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `watch_tags_tag` ON `watch_tags` (`tag`);--> statement-breakpoint
CREATE TABLE `watches` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`platform` text NOT NULL,
	`subject` text NOT NULL,
	`every_ms` integer NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	`until` integer,
	`paused_at` integer,
	`paused_reason` text,
	`last_at` integer,
	`next_at` integer NOT NULL,
	CONSTRAINT "watches_kind" CHECK("watches"."kind" in ('creator', 'video', 'hashtag', 'search'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `watches_next_at` ON `watches` (`next_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `watches_subject` ON `watches` (`kind`,`platform`,`subject`);--> statement-breakpoint
ALTER TABLE `video` ADD `collected_at` integer;--> statement-breakpoint
ALTER TABLE `calls` ADD `new_videos` integer;--> statement-breakpoint
ALTER TABLE `forecast` ADD `over_edge` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `forecast` ADD `over_by` integer;--> statement-breakpoint
CREATE TABLE `alert_hits` (
	`name` text NOT NULL,
	`subject` text NOT NULL,
	`at` integer NOT NULL,
	`row` text NOT NULL,
	`seen_at` integer NOT NULL,
	`waiting` text,
	PRIMARY KEY(`name`, `subject`, `at`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `alert_hits_at` ON `alert_hits` (`at`);--> statement-breakpoint
CREATE TABLE `alerts` (
	`name` text PRIMARY KEY NOT NULL,
	`sql` text NOT NULL,
	`targets` text NOT NULL,
	`cooldown_ms` integer NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`evaluated_at` integer,
	`failure` text
) STRICT;
--> statement-breakpoint
ALTER TABLE `conditions` ADD `told_to` text;
CREATE TABLE `erased` (
	`kind` text NOT NULL,
	`hash` text NOT NULL,
	`erased_at` integer NOT NULL,
	`dropped` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`kind`, `hash`)
) STRICT, WITHOUT ROWID;
CREATE VIEW `rankings` AS select c.list as list, c.platform as platform, c.period as period, c.captured_at as captured_at, r.rank as rank, v.id as video_id, c.total as total, c.run_id as run_id, r.score as score, r.velocity as velocity from ranking r join capture c on c.key = r.capture_key join video v on v.key = r.video_key where c.completed_at is not null;
CREATE VIEW `hashtags` AS select h.tag as tag, (select s.volume from hashtag_snapshot s where s.hashtag_key = h.key and s.volume is not null order by s.platform <> '', s.observed_at desc limit 1) as volume, (select s.views from hashtag_snapshot s where s.hashtag_key = h.key and s.views is not null order by s.platform <> '', s.observed_at desc limit 1) as views, h.first_seen_at as first_seen_at, (select s.window from hashtag_snapshot s where s.hashtag_key = h.key and s.volume is not null order by s.platform <> '', s.observed_at desc limit 1) as window from hashtag h;
CREATE VIEW `forecasts` AS select v.id as video_id, f.made_at as made_at, f.horizon_hours as horizon_hours, f.views_median as views_median, f.views_low as views_low, f.views_high as views_high, f.top_probability as top_probability, f.model_id as model_id from forecast f join video v on v.key = f.video_key;
CREATE VIEW `creators_rising` AS select c.platform as platform, c.handle as handle, l.followers as followers, cast(strftime('%Y-%m-%dT%H:%M:%fZ', l.at / 1000.0, 'unixepoch') as text) as observed_at, b.followers as followers_before, cast(strftime('%Y-%m-%dT%H:%M:%fZ', b.observed_at / 1000.0, 'unixepoch') as text) as observed_before, cast((l.followers - b.followers) * 86400000.0 / (l.at - b.observed_at) as real) as gained_per_day, cast(l.followers * 1.0 / nullif(b.followers, 0) - 1 as real) as change from (select creator_key, followers, max(observed_at) as at from creator_snapshot where followers is not null group by creator_key) l join creator c on c.key = l.creator_key join creator_snapshot b on b.creator_key = l.creator_key and b.observed_at = (select max(n.observed_at) from creator_snapshot n where n.creator_key = l.creator_key and n.followers is not null and n.observed_at <= l.at - 604800000 and n.observed_at > l.at - 1209600000) order by 8 desc, 7 desc;
CREATE VIEW `feed_history` AS select c.list as list, c.platform as platform, c.period as period, cast(strftime('%Y-%m-%d', c.completed_at / 1000.0, 'unixepoch') as text) as date, cast(strftime('%Y-%m-%dT%H:%M:%fZ', c.completed_at / 1000.0, 'unixepoch') as text) as captured_at, r.rank as rank, v.id as id, cast(case when w.video_key is null then v.title else w.title end as text) as title, cast(case when w.video_key is null then v.user else w.user end as text) as user, cast((select s.views from video_snapshot s where s.video_key = v.key and s.observed_at <= c.completed_at and s.views is not null order by s.observed_at desc limit 1) as integer) as views, cast((select s.likes from video_snapshot s where s.video_key = v.key and s.observed_at <= c.completed_at and s.likes is not null order by s.observed_at desc limit 1) as integer) as likes, r.velocity as velocity from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key left join video_revision w on w.video_key = v.key and w.until_at = (select min(n.until_at) from video_revision n where n.video_key = v.key and n.until_at > c.completed_at) where c.completed_at is not null;
CREATE VIEW `hashtag_trend` AS select h.tag as tag, cast(case l.platform when '' then 'all' else l.platform end as text) as platform, l.window as window, cast(case l.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' when 7 then 'seen' end as text) as source, l.volume as volume, cast(strftime('%Y-%m-%dT%H:%M:%fZ', l.at / 1000.0, 'unixepoch') as text) as observed_at, b.volume as volume_before, cast(strftime('%Y-%m-%dT%H:%M:%fZ', b.observed_at / 1000.0, 'unixepoch') as text) as observed_before, cast(case when l.source = 6 then l.volume * 1.0 / nullif(b.volume, 0) - 1 end as real) as change from (select hashtag_key, platform, window, source, volume, max(observed_at) as at from hashtag_snapshot where volume is not null group by hashtag_key, platform, window, source) l join hashtag h on h.key = l.hashtag_key left join hashtag_snapshot b on b.hashtag_key = l.hashtag_key and b.platform = l.platform and b.observed_at = (select max(n.observed_at) from hashtag_snapshot n where n.hashtag_key = l.hashtag_key and n.platform = l.platform and n.window is l.window and n.source = l.source and n.volume is not null and n.observed_at <= l.at - 604800000 and n.observed_at > l.at - 691200000);
CREATE VIEW `hashtag_volumes` AS select h.tag as tag, s.window as window, cast(case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' when 7 then 'seen' end as text) as source, cast(strftime('%Y-%m-%dT%H:%M:%fZ', s.observed_at / 1000.0, 'unixepoch') as text) as observed_at, cast(max(s.volume) filter (where s.platform = '') as integer) as volume, cast(max(s.volume) filter (where s.platform = 'tiktok') as integer) as tiktok, cast(max(s.volume) filter (where s.platform = 'instagram') as integer) as instagram, cast(max(s.volume) filter (where s.platform = 'youtube') as integer) as youtube from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key group by s.hashtag_key, s.observed_at, s.window, s.source;
CREATE VIEW `list_stays` AS with pull as (select key, list, platform, period, completed_at as at, lead(key) over w as next_key, lead(completed_at) over w as next_at from capture where completed_at is not null window w as (partition by list, platform, period order by captured_at)), stood as (select p.list, p.platform, p.period, r.video_key, p.at, p.next_at, p.next_key, min(r.rank) as rank, exists (select 1 from ranking n where n.video_key = r.video_key and n.capture_key = p.next_key) as stays from pull p join ranking r on r.capture_key = p.key group by p.key, r.video_key) select s.list as list, s.platform as platform, s.period as period, v.id as id, cast(strftime('%Y-%m-%dT%H:%M:%fZ', min(s.at) / 1000.0, 'unixepoch') as text) as first_seen_at, cast(strftime('%Y-%m-%dT%H:%M:%fZ', max(s.at) / 1000.0, 'unixepoch') as text) as last_seen_at, cast(min(s.rank) as integer) as best_rank, cast(count(*) as integer) as pulls, cast(total(case when s.stays then s.next_at - s.at end) / 3600000.0 as real) as hours, cast(max(s.next_key is null) as integer) as is_there_now from stood s join video v on v.key = s.video_key group by s.list, s.platform, s.period, s.video_key;
CREATE VIEW `creator_history` AS select c.platform as platform, c.handle as handle, cast(strftime('%Y-%m-%dT%H:%M:%fZ', s.observed_at / 1000.0, 'unixepoch') as text) as observed_at, s.followers as followers, s.video_count as video_count, s.views as views, s.likes as likes from creator_snapshot s join creator c on c.key = s.creator_key;
CREATE VIEW `creator_snapshots` AS select c.platform as platform, c.handle as handle, s.observed_at as observed_at, s.followers as followers, s.video_count as video_count, s.views as views, s.likes as likes, cast(case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' when 7 then 'seen' end as text) as source, s.extra as extra from creator_snapshot s join creator c on c.key = s.creator_key;
CREATE VIEW `creators` AS select c.platform as platform, c.handle as handle, c.followers as followers, c.video_count as video_count, c.views as views, c.likes as likes, c.engagement_rate as engagement_rate, c.first_seen_at as first_seen_at, cast(coalesce((select max(s.observed_at) from creator_snapshot s where s.creator_key = c.key), c.first_seen_at) as integer) as last_seen_at, c.extra as extra from creator c;
CREATE VIEW `events_recent` AS select e.id as id, e.kind as kind, e.platform as platform, e.subject as subject, cast(strftime('%Y-%m-%dT%H:%M:%fZ', e.occurred_at / 1000.0, 'unixepoch') as text) as occurred_at, cast(strftime('%Y-%m-%dT%H:%M:%fZ', e.detected_at / 1000.0, 'unixepoch') as text) as detected_at, e.origin as origin, e.data as data from events e order by e.occurred_at desc;
CREATE VIEW `feed_now` AS select c.platform as platform, c.period as period, r.rank as rank, v.id as id, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, r.velocity as velocity, cast(strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') as text) as created_at, cast(strftime('%Y-%m-%dT%H:%M:%fZ', c.captured_at / 1000.0, 'unixepoch') as text) as captured_at from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.list = 'feed' and c.captured_at = (select max(n.captured_at) from capture n where n.list = c.list and n.platform = c.platform and n.period = c.period and n.completed_at is not null) order by c.platform, c.period, r.rank;
CREATE VIEW `fresh_videos` AS select v.id as id, v.platform as platform, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, cast(strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') as text) as created_at, cast(strftime('%Y-%m-%dT%H:%M:%fZ', v.first_seen_at / 1000.0, 'unixepoch') as text) as first_seen_at from video v where v.created_at is not null order by v.created_at desc;
CREATE VIEW `hashtag_history` AS select h.tag as tag, s.platform as platform, cast(strftime('%Y-%m-%dT%H:%M:%fZ', s.observed_at / 1000.0, 'unixepoch') as text) as observed_at, s.volume as volume, s.views as views, s.change as change, s.window as window, cast(case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' when 7 then 'seen' end as text) as source from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key;
CREATE VIEW `hashtag_snapshots` AS select h.tag as tag, s.platform as platform, s.observed_at as observed_at, s.volume as volume, s.views as views, s.change as change, s.rank as rank, cast(case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' when 7 then 'seen' end as text) as source, s.extra as extra, s.window as window from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key;
CREATE VIEW `trends_now` AS select c.platform as platform, c.period as period, r.rank as rank, v.id as id, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, r.velocity as velocity, cast(strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') as text) as created_at, cast(strftime('%Y-%m-%dT%H:%M:%fZ', c.captured_at / 1000.0, 'unixepoch') as text) as captured_at from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.list = 'trends' and c.captured_at = (select max(n.captured_at) from capture n where n.list = c.list and n.platform = c.platform and n.period = c.period and n.completed_at is not null) order by c.platform, c.period, r.rank;
CREATE VIEW `video_history` AS select v.id as id, cast(strftime('%Y-%m-%dT%H:%M:%fZ', s.observed_at / 1000.0, 'unixepoch') as text) as observed_at, s.views as views, s.likes as likes, cast(coalesce(s.engagement_rate, 100.0 * s.likes / nullif(s.views, 0)) as real) as engagement_rate, cast(s.views - lag(s.views) over w as integer) as views_gained, cast((s.observed_at - lag(s.observed_at) over w) / 3600000.0 as real) as hours_since, cast(case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' when 7 then 'seen' end as text) as source from video_snapshot s join video v on v.key = s.video_key window w as (partition by v.id order by s.observed_at);
CREATE VIEW `video_snapshots` AS select v.id as video_id, s.observed_at as observed_at, s.views as views, s.likes as likes, cast(coalesce(s.engagement_rate, 100.0 * s.likes / nullif(s.views, 0)) as real) as engagement_rate, cast(case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' when 7 then 'seen' end as text) as source, s.extra as extra from video_snapshot s join video v on v.key = s.video_key;
CREATE VIEW `hashtag_forecasts` AS select h.tag as tag, f.platform as platform, f.made_at as made_at, f.horizon_hours as horizon_hours, f.volume_median as volume_median, f.volume_low as volume_low, f.volume_high as volume_high, f.model_id as model_id from hashtag_forecast f join hashtag h on h.key = f.hashtag_key;
CREATE VIEW `hashtags_next` AS select f.platform as platform, cast(row_number() over (partition by f.platform, s.window order by (f.volume_median + 10.0) / (s.volume + 10) desc, f.volume_median desc, h.tag) as integer) as rank, h.tag as tag, s.window as window, s.volume as volume, f.volume_median as volume_median, f.volume_low as volume_low, f.volume_high as volume_high, cast(strftime('%Y-%m-%dT%H:%M:%fZ', f.made_at / 1000.0, 'unixepoch') as text) as made_at from (select n.hashtag_key, n.platform, max(n.made_at) as made_at from hashtag_forecast n where n.made_at > (select max(a.made_at) from hashtag_forecast a) - 172800000 group by n.hashtag_key, n.platform) l join hashtag_forecast f on f.hashtag_key = l.hashtag_key and f.platform = l.platform and f.made_at = l.made_at and f.horizon_hours = 168 join hashtag_snapshot s on s.hashtag_key = f.hashtag_key and s.platform = f.platform and s.observed_at = f.made_at join hashtag h on h.key = f.hashtag_key order by f.platform, rank;
CREATE VIEW `platform_overlap` AS select cast('hashtag' as text) as kind, h.tag as name, cast(count(distinct v.platform) as integer) as platforms, cast(sum(v.platform = 'tiktok') as integer) as tiktok, cast(sum(v.platform = 'instagram') as integer) as instagram, cast(sum(v.platform = 'youtube') as integer) as youtube from video_hashtag vh join video v on v.key = vh.video_key join hashtag h on h.key = vh.hashtag_key group by vh.hashtag_key having count(distinct v.platform) > 1 union all select 'creator', coalesce(n.folded, v.user), count(distinct v.platform), sum(v.platform = 'tiktok'), sum(v.platform = 'instagram'), sum(v.platform = 'youtube') from video v left join handle_spelling n on n.handle = v.user where coalesce(n.folded, v.user) <> '' group by 2 having count(distinct v.platform) > 1;
CREATE VIEW `search_hits` AS select s.watch_id as watch_id, s.captured_at as captured_at, s.rank as rank, v.id as video_id, s.total as total from search_hit s join video v on v.key = s.video_key;
CREATE VIEW `tagged_videos` AS select t.tag as tag, v.id as video_id from watch_tags t join watches w on w.id = t.watch_id and w.kind = 'video' join video v on v.id = w.subject union select t.tag, v.id from watch_tags t join watches w on w.id = t.watch_id and w.kind = 'creator' join video v on v.platform = w.platform and v.user in (select w.subject union all select n.handle from handle_spelling n where n.folded = w.subject) union select t.tag, v.id from watch_tags t join watches w on w.id = t.watch_id and w.kind = 'hashtag' join hashtag h on h.folded = w.subject join video_hashtag vh on vh.hashtag_key = h.key join video v on v.key = vh.video_key and w.platform in ('', v.platform) union select t.tag, v.id from watch_tags t join watches w on w.id = t.watch_id join search_hit s on s.watch_id = w.id join video v on v.key = s.video_key;
CREATE VIEW `daily_summary` AS with seen as (select cast(strftime('%Y-%m-%d', s.observed_at / 1000.0, 'unixepoch') as text) as date, v.platform as platform, count(distinct s.video_key) as videos, count(distinct case when cast(strftime('%Y-%m-%d', s.observed_at / 1000.0, 'unixepoch') as text) = cast(strftime('%Y-%m-%d', (select min(f.observed_at) from video_snapshot f where f.video_key = s.video_key and f.source <> 2) / 1000.0, 'unixepoch') as text) then s.video_key end) as fresh, count(*) as snapshots from video_snapshot s join video v on v.key = s.video_key group by 1, 2), pulled as (select cast(strftime('%Y-%m-%d', completed_at / 1000.0, 'unixepoch') as text) as date, platform, count(*) as lists from capture where completed_at is not null group by 1, 2), noticed as (select cast(strftime('%Y-%m-%d', occurred_at / 1000.0, 'unixepoch') as text) as date, platform, count(*) as events from events group by 1, 2) select s.date as date, s.platform as platform, cast(s.videos as integer) as videos_seen, cast(s.fresh as integer) as videos_new, cast(s.snapshots as integer) as snapshots, cast(coalesce(p.lists, 0) as integer) as lists, cast(coalesce(n.events, 0) as integer) as events from seen s left join pulled p on p.date = s.date and p.platform = s.platform left join noticed n on n.date = s.date and n.platform = s.platform order by 1, 2;
CREATE VIEW `videos` AS select v.id as id, v.platform as platform, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, v.created_at as created_at, v.first_seen_at as first_seen_at, cast(coalesce((select max(s.observed_at) from video_snapshot s where s.video_key = v.key), v.first_seen_at) as integer) as last_seen_at, v.extra as extra, v.collected_at as collected_at, cast(case when v.views >= 100 and v.engagement_rate <= 100 then v.engagement_rate end as real) as engagement_rate_shown from video v;
CREATE VIEW `video_milestones` AS select v.id as id, v.platform as platform, m.milestone as milestone, cast(case when u.video_key is null then 'not yet' when d.video_key is null then 'before' else 'reached' end as text) as state, cast(strftime('%Y-%m-%dT%H:%M:%fZ', (d.observed_at + (u.observed_at - d.observed_at) * (m.milestone - d.views) / (u.views - d.views)) / 1000.0, 'unixepoch') as text) as reached_at, cast((d.observed_at + (u.observed_at - d.observed_at) * (m.milestone - d.views) * 1.0 / (u.views - d.views) - v.created_at) / 3600000.0 as real) as hours, cast((d.observed_at - v.created_at) / 3600000.0 as real) as hours_at_least, cast((u.observed_at - v.created_at) / 3600000.0 as real) as hours_at_most from (select cast(10000 as integer) as milestone union all select cast(100000 as integer) as milestone union all select cast(1000000 as integer) as milestone union all select cast(10000000 as integer) as milestone union all select cast(100000000 as integer) as milestone) m cross join video v left join video_snapshot u on u.video_key = v.key and u.observed_at = (select min(n.observed_at) from video_snapshot n where n.video_key = v.key and n.views >= m.milestone) left join video_snapshot d on d.video_key = v.key and d.observed_at = (select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.views > 0 and n.views < m.milestone and n.observed_at < coalesce(u.observed_at, 9007199254740991)) where u.video_key is not null or d.video_key is not null;
CREATE VIEW `calls_by_platform` AS select cast(strftime('%Y-%m-%d', c.sent_at / 1000.0, 'unixepoch') as text) as day, cast(coalesce(i.request_json ->> 'platform', '') as text) as platform, c.job as job, cast(sum(c.sent) as integer) as calls, cast(coalesce(sum(c.new_videos), 0) as integer) as new_videos from calls c left join run_items i on i.run_id = c.run_id and i.job = c.job and i.request = c.request group by 1, 2, 3;
CREATE VIEW `risen` AS select v.platform as platform, cast(row_number() over (partition by v.platform order by f.top_probability desc, f.views_median desc, v.id) as integer) as rank, v.id as id, v.title as title, v.user as user, v.views as views, f.top_probability as top_probability, f.views_median as views_median, f.views_low as views_low, f.views_high as views_high, cast(strftime('%Y-%m-%dT%H:%M:%fZ', f.made_at / 1000.0, 'unixepoch') as text) as made_at, cast(f.views_median - s.views as integer) as gain_24h, cast(strftime('%Y-%m-%dT%H:%M:%fZ', f.over_by / 1000.0, 'unixepoch') as text) as over_by from (select n.video_key, max(n.made_at) as made_at from forecast n where n.made_at > (select max(a.made_at) from forecast a) - 172800000 and n.model_id in (select m.id from models m where (select json_extract(n.scores, '$.used') from models n where n.platform = m.platform and n.kind = m.kind order by n.learnt_at desc, n.id desc limit 1) = 1) group by n.video_key) l join forecast f on f.video_key = l.video_key and f.made_at = l.made_at and f.horizon_hours = 24 join video v on v.key = f.video_key left join video_snapshot s on s.video_key = f.video_key and s.observed_at = f.made_at where f.over_edge = 1 order by platform, rank;
CREATE VIEW `rising_next` AS select v.platform as platform, cast(row_number() over (partition by v.platform order by f.top_probability desc, f.views_median desc, v.id) as integer) as rank, v.id as id, v.title as title, v.user as user, v.views as views, f.top_probability as top_probability, f.views_median as views_median, f.views_low as views_low, f.views_high as views_high, cast(strftime('%Y-%m-%dT%H:%M:%fZ', f.made_at / 1000.0, 'unixepoch') as text) as made_at, cast(f.views_median - s.views as integer) as gain_24h, cast(strftime('%Y-%m-%dT%H:%M:%fZ', f.over_by / 1000.0, 'unixepoch') as text) as over_by from (select n.video_key, max(n.made_at) as made_at from forecast n where n.made_at > (select max(a.made_at) from forecast a) - 172800000 and n.model_id in (select m.id from models m where (select json_extract(n.scores, '$.used') from models n where n.platform = m.platform and n.kind = m.kind order by n.learnt_at desc, n.id desc limit 1) = 1) group by n.video_key) l join forecast f on f.video_key = l.video_key and f.made_at = l.made_at and f.horizon_hours = 24 join video v on v.key = f.video_key left join video_snapshot s on s.video_key = f.video_key and s.observed_at = f.made_at where f.over_edge = 0 order by platform, rank;
CREATE VIEW `list_entries` AS select c.list as list, c.platform as platform, c.period as period, v.id as video_id, c.captured_at as entered_at, r.rank as rank, (select o.rank from ranking o join capture b on b.key = o.capture_key where o.video_key = r.video_key and b.list = c.list and b.platform = c.platform and b.period = c.period and b.captured_at < c.captured_at and b.completed_at is not null order by b.captured_at desc limit 1) as previous_rank from (select n.*, (select p.key from capture p where p.list = n.list and p.platform = n.platform and p.period = n.period and p.captured_at < n.captured_at and p.completed_at is not null order by p.captured_at desc limit 1) as previous_key from capture n where n.list in ('feed', 'trends', 'import') and n.completed_at is not null) c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.previous_key is not null and not exists (select 1 from ranking x where x.video_key = r.video_key and x.capture_key = c.previous_key);
