ALTER TABLE `calls` ADD `sent` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `calls_found_nobody` ON `calls` (`sent_at`) WHERE sent = 0;