-- What makes a word changed: marks begin none, and no phrase goes from one hashtag to the next. Every
-- video's words are put in again by whoever writes to the lake next.
INSERT OR IGNORE INTO `search_pending` SELECT `key` FROM `video`;
