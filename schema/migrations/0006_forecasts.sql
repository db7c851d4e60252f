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
CREATE VIEW `forecasts` AS select v.id as video_id, f.made_at as made_at, f.horizon_hours as horizon_hours, f.views_median as views_median, f.views_low as views_low, f.views_high as views_high, f.top_probability as top_probability, f.model_id as model_id from forecast f join video v on v.key = f.video_key;--> statement-breakpoint
CREATE VIEW `rising_next` AS select v.platform as platform, row_number() over (partition by v.platform order by f.top_probability desc, f.views_median desc, v.id) as rank, v.id as id, v.title as title, v.user as user, v.views as views, f.top_probability as top_probability, f.views_median as views_median, f.views_low as views_low, f.views_high as views_high, strftime('%Y-%m-%dT%H:%M:%fZ', f.made_at / 1000.0, 'unixepoch') as made_at from (select n.video_key, max(n.made_at) as made_at from forecast n where n.made_at > (select max(a.made_at) from forecast a) - 172800000 group by n.video_key) l join forecast f on f.video_key = l.video_key and f.made_at = l.made_at and f.horizon_hours = 24 join video v on v.key = f.video_key order by platform, rank;