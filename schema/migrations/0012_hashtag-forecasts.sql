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
CREATE VIEW `hashtag_forecasts` AS select h.tag as tag, f.platform as platform, f.made_at as made_at, f.horizon_hours as horizon_hours, f.volume_median as volume_median, f.volume_low as volume_low, f.volume_high as volume_high, f.model_id as model_id from hashtag_forecast f join hashtag h on h.key = f.hashtag_key;--> statement-breakpoint
CREATE VIEW `hashtags_next` AS select f.platform as platform, cast(row_number() over (partition by f.platform, s.window order by (f.volume_median + 10.0) / (s.volume + 10) desc, f.volume_median desc, h.tag) as integer) as rank, h.tag as tag, s.window as window, s.volume as volume, f.volume_median as volume_median, f.volume_low as volume_low, f.volume_high as volume_high, cast(strftime('%Y-%m-%dT%H:%M:%fZ', f.made_at / 1000.0, 'unixepoch') as text) as made_at from (select n.hashtag_key, n.platform, max(n.made_at) as made_at from hashtag_forecast n where n.made_at > (select max(a.made_at) from hashtag_forecast a) - 172800000 group by n.hashtag_key, n.platform) l join hashtag_forecast f on f.hashtag_key = l.hashtag_key and f.platform = l.platform and f.made_at = l.made_at and f.horizon_hours = 168 join hashtag_snapshot s on s.hashtag_key = f.hashtag_key and s.platform = f.platform and s.observed_at = f.made_at join hashtag h on h.key = f.hashtag_key order by f.platform, rank;