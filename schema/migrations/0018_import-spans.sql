ALTER TABLE `import_progress` ADD `oldest_at` integer;--> statement-breakpoint
ALTER TABLE `import_progress` ADD `newest_at` integer;--> statement-breakpoint
UPDATE `import_progress` SET (`oldest_at`, `newest_at`) =
  (SELECT min(`observed_at`), max(`observed_at`) FROM `video_snapshot` WHERE `source` = 5);
