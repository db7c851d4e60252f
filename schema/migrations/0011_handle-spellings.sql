CREATE TABLE `handle_spelling` (
	`folded` text NOT NULL,
	`handle` text NOT NULL,
	PRIMARY KEY(`folded`, `handle`)
) STRICT, WITHOUT ROWID;

-- Handles of lakes from before; what is loaded from here on is written with its videos and creators.
INSERT OR IGNORE INTO `handle_spelling` SELECT fold_handle(`user`), `user` FROM (
  SELECT `user` FROM `video` UNION SELECT `user` FROM `video_revision` UNION SELECT `handle` FROM `creator`
) WHERE `user` IS NOT NULL;
