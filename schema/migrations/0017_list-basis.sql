CREATE TABLE `list_basis` (
	`name` text PRIMARY KEY NOT NULL,
	`as_of` integer NOT NULL,
	`columns` blob NOT NULL
) STRICT;
