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
