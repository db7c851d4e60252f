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