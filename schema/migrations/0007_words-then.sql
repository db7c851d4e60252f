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