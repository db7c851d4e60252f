CREATE TABLE `analyses` (
	`video_id` text NOT NULL,
	`generated_at` integer NOT NULL,
	`method` text NOT NULL,
	`result` text NOT NULL,
	PRIMARY KEY(`video_id`, `generated_at`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `analyses_generated_at` ON `analyses` (`generated_at`);--> statement-breakpoint
CREATE TABLE `calls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` integer,
	`job` text NOT NULL,
	`request` text NOT NULL,
	`sent_at` integer NOT NULL,
	`finished_at` integer,
	`status` integer,
	`error` text,
	`sender` text NOT NULL,
	`rows_changed` integer,
	`counted_at` integer,
	`boot` text DEFAULT '' NOT NULL,
	`sent_mono` integer DEFAULT 0 NOT NULL,
	`free_mono` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `calls_sent_at` ON `calls` (`sent_at`);--> statement-breakpoint
CREATE INDEX `calls_finished_at` ON `calls` (`finished_at`);--> statement-breakpoint
CREATE INDEX `calls_run` ON `calls` (`run_id`);--> statement-breakpoint
CREATE INDEX `calls_slots` ON `calls` (`boot`,`free_mono`);--> statement-breakpoint
CREATE INDEX `calls_counted_at` ON `calls` (`counted_at`) WHERE counted_at is not null;--> statement-breakpoint
CREATE TABLE `capture` (
	`key` integer PRIMARY KEY NOT NULL,
	`list` text NOT NULL,
	`platform` text NOT NULL,
	`period` text NOT NULL,
	`captured_at` integer NOT NULL,
	`completed_at` integer NOT NULL,
	`total` integer,
	`run_id` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `capture_platform` ON `capture` (`platform`,`captured_at`);--> statement-breakpoint
CREATE INDEX `capture_captured_at` ON `capture` (`captured_at`);--> statement-breakpoint
CREATE INDEX `capture_run` ON `capture` (`run_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `capture_identity` ON `capture` (`list`,`platform`,`period`,`captured_at`);--> statement-breakpoint
CREATE TABLE `creator_snapshot` (
	`creator_key` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`followers` integer,
	`video_count` integer,
	`views` integer,
	`likes` integer,
	`source` integer NOT NULL,
	`extra` text,
	PRIMARY KEY(`creator_key`, `observed_at`),
	FOREIGN KEY (`creator_key`) REFERENCES `creator`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `creator_snapshot_observed_at` ON `creator_snapshot` (`observed_at`);--> statement-breakpoint
CREATE TABLE `creator` (
	`key` integer PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`handle` text NOT NULL,
	`followers` integer,
	`video_count` integer,
	`views` integer,
	`likes` integer,
	`engagement_rate` real,
	`first_seen_at` integer NOT NULL,
	`extra` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `creator_identity` ON `creator` (`platform`,`handle`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`state` text NOT NULL,
	`queued_at` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer,
	`last_status` integer,
	`last_error` text,
	`last_answer` text,
	`last_attempt_at` integer,
	`last_duration_ms` integer,
	`delivered_at` integer,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`subscription_id`,`state`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `deliveries_event` ON `deliveries` (`event_id`);--> statement-breakpoint
CREATE TABLE `drift` (
	`resource` text NOT NULL,
	`field` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`sample` text NOT NULL,
	`call_id` integer,
	PRIMARY KEY(`resource`, `field`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `drift_first_seen_at` ON `drift` (`first_seen_at`);--> statement-breakpoint
CREATE TABLE `event_progress` (
	`name` text PRIMARY KEY NOT NULL,
	`looked_until` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`platform` text,
	`subject` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`detected_at` integer NOT NULL,
	`origin` text NOT NULL,
	`data` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `events_occurred_at` ON `events` (`occurred_at`);--> statement-breakpoint
CREATE INDEX `events_detected_at` ON `events` (`detected_at`);--> statement-breakpoint
CREATE INDEX `events_platform` ON `events` (`platform`,`occurred_at`);--> statement-breakpoint
CREATE INDEX `events_subject` ON `events` (`subject`);--> statement-breakpoint
CREATE TABLE `hashtag_snapshot` (
	`hashtag_key` integer NOT NULL,
	`platform` text NOT NULL,
	`observed_at` integer NOT NULL,
	`volume` integer,
	`views` integer,
	`change` real,
	`rank` integer,
	`source` integer NOT NULL,
	`extra` text,
	PRIMARY KEY(`hashtag_key`, `platform`, `observed_at`),
	FOREIGN KEY (`hashtag_key`) REFERENCES `hashtag`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `hashtag_snapshot_observed_at` ON `hashtag_snapshot` (`observed_at`);--> statement-breakpoint
CREATE INDEX `hashtag_snapshot_platform` ON `hashtag_snapshot` (`platform`);--> statement-breakpoint
CREATE TABLE `hashtag` (
	`key` integer PRIMARY KEY NOT NULL,
	`tag` text COLLATE NOCASE NOT NULL,
	`folded` text NOT NULL,
	`first_seen_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `hashtag_folded_unique` ON `hashtag` (`folded`);--> statement-breakpoint
CREATE INDEX `hashtag_tag` ON `hashtag` (`tag`);--> statement-breakpoint
CREATE TABLE `import_progress` (
	`path` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`lines` integer NOT NULL,
	`finished_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `pause` (
	`id` integer PRIMARY KEY NOT NULL,
	`set_at` integer NOT NULL,
	`until_at` integer NOT NULL,
	`boot` text NOT NULL,
	`until_mono` integer NOT NULL,
	`resumes_at` integer NOT NULL,
	`reason` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `quota_hint` (
	`name` text PRIMARY KEY NOT NULL,
	`said` text NOT NULL,
	`window_ms` integer,
	`quota` integer,
	`remaining` integer,
	`resets_at` integer,
	`seen_at` integer NOT NULL,
	`call_id` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `ranking` (
	`capture_key` integer NOT NULL,
	`rank` integer NOT NULL,
	`video_key` integer NOT NULL,
	`score` real,
	`velocity` real,
	PRIMARY KEY(`capture_key`, `rank`),
	FOREIGN KEY (`capture_key`) REFERENCES `capture`(`key`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`video_key`) REFERENCES `video`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ranking_video` ON `ranking` (`video_key`);--> statement-breakpoint
CREATE TABLE `received_hooks` (
	`id` text PRIMARY KEY NOT NULL,
	`received_at` integer NOT NULL,
	`type` text,
	`event_id` text,
	`body` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `rejected_items` (
	`id` integer PRIMARY KEY NOT NULL,
	`call_id` integer,
	`origin` text,
	`reason` text NOT NULL,
	`item` text NOT NULL,
	`seen_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `rejected_items_origin_unique` ON `rejected_items` (`origin`);--> statement-breakpoint
CREATE INDEX `rejected_items_call` ON `rejected_items` (`call_id`);--> statement-breakpoint
CREATE TABLE `responses` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`content_type` text,
	`observed_at` integer NOT NULL,
	`body` blob NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `run_items` (
	`run_id` integer NOT NULL,
	`job` text NOT NULL,
	`request` text NOT NULL,
	`ask` text NOT NULL,
	`position` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`error` text,
	`reason` text,
	PRIMARY KEY(`run_id`, `job`, `request`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `run_items_state` ON `run_items` (`run_id`,`state`,`position`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`outcome` text NOT NULL,
	`heartbeat_at` integer NOT NULL,
	`resumes_at` integer,
	`jobs` text NOT NULL,
	`summary` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `runs_started_at` ON `runs` (`started_at`);--> statement-breakpoint
CREATE INDEX `runs_finished_at` ON `runs` (`finished_at`);--> statement-breakpoint
CREATE INDEX `runs_heartbeat_at` ON `runs` (`heartbeat_at`);--> statement-breakpoint
CREATE TABLE `search_pending` (
	`video_key` integer PRIMARY KEY NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `slots` (
	`job` text NOT NULL,
	`slot_at` integer NOT NULL,
	`claimed_at` integer NOT NULL,
	`run_id` integer,
	PRIMARY KEY(`job`, `slot_at`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_until` integer,
	`filter` text NOT NULL,
	`allow_loopback_http` integer NOT NULL,
	`key_id` text,
	`created_at` integer NOT NULL,
	`disabled_at` integer,
	`disabled_reason` text,
	`failing_since` integer,
	`paused_until` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `touched_partitions` (
	`table_name` text NOT NULL,
	`date` text NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`table_name`, `date`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `video_hashtag` (
	`video_key` integer NOT NULL,
	`hashtag_key` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`video_key`, `hashtag_key`),
	FOREIGN KEY (`video_key`) REFERENCES `video`(`key`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`hashtag_key`) REFERENCES `hashtag`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `video_hashtag_hashtag` ON `video_hashtag` (`hashtag_key`);--> statement-breakpoint
CREATE TABLE `video_revision` (
	`video_key` integer NOT NULL,
	`until_at` integer NOT NULL,
	`title` text,
	`user` text,
	PRIMARY KEY(`video_key`, `until_at`),
	FOREIGN KEY (`video_key`) REFERENCES `video`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `video_revision_user` ON `video_revision` (`user`);--> statement-breakpoint
CREATE TABLE `video_snapshot` (
	`video_key` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`views` integer,
	`likes` integer,
	`engagement_rate` real,
	`rate_derived` integer NOT NULL,
	`source` integer NOT NULL,
	`extra` text,
	PRIMARY KEY(`video_key`, `observed_at`),
	FOREIGN KEY (`video_key`) REFERENCES `video`(`key`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `video_snapshot_observed_at` ON `video_snapshot` (`observed_at`);--> statement-breakpoint
CREATE TABLE `video` (
	`key` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`platform` text NOT NULL,
	`title` text,
	`user` text,
	`views` integer,
	`likes` integer,
	`engagement_rate` real,
	`created_at` integer,
	`first_seen_at` integer,
	`extra` text,
	CONSTRAINT "video_platform" CHECK("video"."platform" in ('tiktok', 'instagram', 'youtube'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `video_id_unique` ON `video` (`id`);--> statement-breakpoint
CREATE INDEX `video_platform_user` ON `video` (`platform`,`user`);--> statement-breakpoint
CREATE INDEX `video_created_at` ON `video` (`created_at`);--> statement-breakpoint
CREATE INDEX `video_first_seen_at` ON `video` (`first_seen_at`);--> statement-breakpoint
CREATE TABLE `wanted_subjects` (
	`platform` text NOT NULL,
	`subject` text NOT NULL,
	`event_id` text NOT NULL,
	`wanted_at` integer NOT NULL,
	`taken_at` integer,
	PRIMARY KEY(`platform`, `subject`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `wanted_subjects_taken` ON `wanted_subjects` (`taken_at`,`wanted_at`);--> statement-breakpoint
CREATE VIEW `creator_history` AS select c.platform as platform, c.handle as handle, strftime('%Y-%m-%dT%H:%M:%fZ', s.observed_at / 1000.0, 'unixepoch') as observed_at, s.followers as followers, s.video_count as video_count, s.views as views, s.likes as likes from creator_snapshot s join creator c on c.key = s.creator_key;--> statement-breakpoint
CREATE VIEW `creator_snapshots` AS select c.platform as platform, c.handle as handle, s.observed_at as observed_at, s.followers as followers, s.video_count as video_count, s.views as views, s.likes as likes, case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' end as source, s.extra as extra from creator_snapshot s join creator c on c.key = s.creator_key;--> statement-breakpoint
CREATE VIEW `creators` AS select c.platform as platform, c.handle as handle, c.followers as followers, c.video_count as video_count, c.views as views, c.likes as likes, c.engagement_rate as engagement_rate, c.first_seen_at as first_seen_at, coalesce((select max(s.observed_at) from creator_snapshot s where s.creator_key = c.key), c.first_seen_at) as last_seen_at, c.extra as extra from creator c;--> statement-breakpoint
CREATE VIEW `events_recent` AS select e.id as id, e.kind as kind, e.platform as platform, e.subject as subject, strftime('%Y-%m-%dT%H:%M:%fZ', e.occurred_at / 1000.0, 'unixepoch') as occurred_at, strftime('%Y-%m-%dT%H:%M:%fZ', e.detected_at / 1000.0, 'unixepoch') as detected_at, e.origin as origin, e.data as data from events e order by e.occurred_at desc;--> statement-breakpoint
CREATE VIEW `feed_now` AS select c.platform as platform, c.period as period, r.rank as rank, v.id as id, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, r.velocity as velocity, strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') as created_at, strftime('%Y-%m-%dT%H:%M:%fZ', c.captured_at / 1000.0, 'unixepoch') as captured_at from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.list = 'feed' and c.captured_at = (select max(n.captured_at) from capture n where n.list = c.list and n.platform = c.platform and n.period = c.period) order by c.platform, c.period, r.rank;--> statement-breakpoint
CREATE VIEW `fresh_videos` AS select v.id as id, v.platform as platform, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') as created_at, strftime('%Y-%m-%dT%H:%M:%fZ', v.first_seen_at / 1000.0, 'unixepoch') as first_seen_at from video v where v.created_at is not null order by v.created_at desc;--> statement-breakpoint
CREATE VIEW `hashtag_history` AS select h.tag as tag, s.platform as platform, strftime('%Y-%m-%dT%H:%M:%fZ', s.observed_at / 1000.0, 'unixepoch') as observed_at, s.volume as volume, s.views as views, s.change as change from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key;--> statement-breakpoint
CREATE VIEW `hashtag_snapshots` AS select h.tag as tag, s.platform as platform, s.observed_at as observed_at, s.volume as volume, s.views as views, s.change as change, s.rank as rank, case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' end as source, s.extra as extra from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key;--> statement-breakpoint
CREATE VIEW `hashtags` AS select h.tag as tag, coalesce((select s.volume from hashtag_snapshot s where s.hashtag_key = h.key and s.platform = '' and s.volume is not null order by s.observed_at desc limit 1), (select s.volume from hashtag_snapshot s where s.hashtag_key = h.key and s.volume is not null order by s.observed_at desc limit 1)) as volume, coalesce((select s.views from hashtag_snapshot s where s.hashtag_key = h.key and s.platform = '' and s.views is not null order by s.observed_at desc limit 1), (select s.views from hashtag_snapshot s where s.hashtag_key = h.key and s.views is not null order by s.observed_at desc limit 1)) as views, h.first_seen_at as first_seen_at from hashtag h;--> statement-breakpoint
CREATE VIEW `rankings` AS select c.list as list, c.platform as platform, c.period as period, c.captured_at as captured_at, r.rank as rank, v.id as video_id, c.total as total, c.run_id as run_id, r.score as score, r.velocity as velocity from ranking r join capture c on c.key = r.capture_key join video v on v.key = r.video_key;--> statement-breakpoint
CREATE VIEW `trends_now` AS select c.platform as platform, c.period as period, r.rank as rank, v.id as id, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, r.velocity as velocity, strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') as created_at, strftime('%Y-%m-%dT%H:%M:%fZ', c.captured_at / 1000.0, 'unixepoch') as captured_at from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.list = 'trends' and c.captured_at = (select max(n.captured_at) from capture n where n.list = c.list and n.platform = c.platform and n.period = c.period) order by c.platform, c.period, r.rank;--> statement-breakpoint
CREATE VIEW `video_hashtags` AS select v.id as video_id, h.tag as tag, vh.position as position from video_hashtag vh join video v on v.key = vh.video_key join hashtag h on h.key = vh.hashtag_key;--> statement-breakpoint
CREATE VIEW `video_history` AS select v.id as id, strftime('%Y-%m-%dT%H:%M:%fZ', s.observed_at / 1000.0, 'unixepoch') as observed_at, s.views as views, s.likes as likes, case when s.rate_derived = 1 then 100.0 * s.likes / nullif(s.views, 0) else s.engagement_rate end as engagement_rate, s.views - lag(s.views) over w as views_gained, (s.observed_at - lag(s.observed_at) over w) / 3600000.0 as hours_since, case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' end as source from video_snapshot s join video v on v.key = s.video_key window w as (partition by v.id order by s.observed_at);--> statement-breakpoint
CREATE VIEW `video_snapshots` AS select v.id as video_id, s.observed_at as observed_at, s.views as views, s.likes as likes, case when s.rate_derived = 1 then 100.0 * s.likes / nullif(s.views, 0) else s.engagement_rate end as engagement_rate, case s.source when 0 then 'feed' when 1 then 'trends' when 2 then 'growth' when 3 then 'search' when 4 then 'creator' when 5 then 'import' when 6 then 'hashtags' end as source, s.extra as extra from video_snapshot s join video v on v.key = s.video_key;--> statement-breakpoint
CREATE VIEW `videos` AS select v.id as id, v.platform as platform, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, v.created_at as created_at, v.first_seen_at as first_seen_at, coalesce((select max(s.observed_at) from video_snapshot s where s.video_key = v.key), v.first_seen_at) as last_seen_at, v.extra as extra from video v;
-- The search index, which drizzle cannot express: tools/generate-migration.ts adds this file to the
-- migration it writes. The index keeps no text of its own (content is in `video`); its rows are
-- written by `refreshSearch` in src/lake/search-index.ts from words that src/lake/search-words.ts
-- has folded and cut, so `ascii` is all the tokenizing left to do: it splits at blanks.
CREATE VIRTUAL TABLE `search` USING fts5(`platform`, `title`, `user`, `tags`, content='', contentless_delete=1, tokenize='ascii', prefix='1');--> statement-breakpoint
CREATE TRIGGER `search_video_added` AFTER INSERT ON `video` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (new.`key`);
END;--> statement-breakpoint
CREATE TRIGGER `search_video_changed` AFTER UPDATE OF `title`, `user` ON `video`
WHEN old.`title` IS NOT new.`title` OR old.`user` IS NOT new.`user` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (new.`key`);
END;--> statement-breakpoint
CREATE TRIGGER `search_video_removed` AFTER DELETE ON `video` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (old.`key`);
END;--> statement-breakpoint
CREATE TRIGGER `search_hashtag_added` AFTER INSERT ON `video_hashtag` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (new.`video_key`);
END;--> statement-breakpoint
CREATE TRIGGER `search_hashtag_removed` AFTER DELETE ON `video_hashtag` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (old.`video_key`);
END;
