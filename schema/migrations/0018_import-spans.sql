ALTER TABLE `import_progress` ADD `oldest_at` integer;--> statement-breakpoint
ALTER TABLE `import_progress` ADD `newest_at` integer;--> statement-breakpoint
UPDATE `import_progress` SET
  `oldest_at` = (SELECT min(`observed_at`) FROM `video_snapshot` WHERE `source` = 5),
  `newest_at` = (SELECT max(`observed_at`) FROM `video_snapshot` WHERE `source` = 5);
