-- The search index, which drizzle cannot express: tools/generate-migration.ts adds this file to the
-- migration it writes. The index keeps no text of its own (content is in `video`); its rows are
-- written by `refreshSearch` in src/lake/search/search-index.ts from words that src/lake/search/search-words.ts
-- has folded and cut, so `ascii` is all the tokenizing left to do: it splits at blanks.
CREATE VIRTUAL TABLE `search` USING fts5(`platform`, `title`, `user`, `tags`, content='', contentless_delete=1, tokenize='ascii', prefix='1');--> statement-breakpoint
CREATE TRIGGER `search_video_added` AFTER INSERT ON `video` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (new.`key`);
END;--> statement-breakpoint
CREATE TRIGGER `search_video_changed` AFTER UPDATE OF `title`, `user` ON `video`
WHEN old.`title` IS NOT new.`title` OR old.`user` IS NOT new.`user` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (new.`key`);
END;--> statement-breakpoint
CREATE TRIGGER `search_video_removed` AFTER DELETE ON `video` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (old.`key`);
END;--> statement-breakpoint
CREATE TRIGGER `search_hashtag_added` AFTER INSERT ON `video_hashtag` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (new.`video_key`);
END;--> statement-breakpoint
CREATE TRIGGER `search_hashtag_removed` AFTER DELETE ON `video_hashtag` BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (old.`video_key`);
END;
