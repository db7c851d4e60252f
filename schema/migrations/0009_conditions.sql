CREATE TABLE `conditions` (
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`began_at` integer NOT NULL,
	`detail` text NOT NULL,
	`told_at` integer,
	`ended_at` integer,
	`end_told_at` integer,
	PRIMARY KEY(`kind`, `subject`, `began_at`)
) STRICT, WITHOUT ROWID;
