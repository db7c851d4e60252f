DROP VIEW `feed_now`;--> statement-breakpoint
DROP VIEW `rankings`;--> statement-breakpoint
DROP VIEW `trends_now`;--> statement-breakpoint
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
CREATE VIEW `feed_now` AS select c.platform as platform, c.period as period, r.rank as rank, v.id as id, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, r.velocity as velocity, strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') as created_at, strftime('%Y-%m-%dT%H:%M:%fZ', c.captured_at / 1000.0, 'unixepoch') as captured_at from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.list = 'feed' and c.captured_at = (select max(n.captured_at) from capture n where n.list = c.list and n.platform = c.platform and n.period = c.period and n.completed_at is not null) order by c.platform, c.period, r.rank;--> statement-breakpoint
CREATE VIEW `rankings` AS select c.list as list, c.platform as platform, c.period as period, c.captured_at as captured_at, r.rank as rank, v.id as video_id, c.total as total, c.run_id as run_id, r.score as score, r.velocity as velocity from ranking r join capture c on c.key = r.capture_key join video v on v.key = r.video_key where c.completed_at is not null;--> statement-breakpoint
CREATE VIEW `trends_now` AS select c.platform as platform, c.period as period, r.rank as rank, v.id as id, v.title as title, v.user as user, v.views as views, v.likes as likes, v.engagement_rate as engagement_rate, r.velocity as velocity, strftime('%Y-%m-%dT%H:%M:%fZ', v.created_at / 1000.0, 'unixepoch') as created_at, strftime('%Y-%m-%dT%H:%M:%fZ', c.captured_at / 1000.0, 'unixepoch') as captured_at from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key where c.list = 'trends' and c.captured_at = (select max(n.captured_at) from capture n where n.list = c.list and n.platform = c.platform and n.period = c.period and n.completed_at is not null) order by c.platform, c.period, r.rank;