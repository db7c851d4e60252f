-- Hashtags of a video before its words changed, which 0.1.0 did not keep: those it has, without those that
-- first stand in a later title.
UPDATE `video_revision` SET `tags` = (
	SELECT coalesce(group_concat(t.`hashtag_key`, ',' ORDER BY t.`position`, t.`hashtag_key`), '')
	FROM `video_hashtag` t JOIN `hashtag` h ON h.`key` = t.`hashtag_key`
	WHERE t.`video_key` = `video_revision`.`video_key` AND coalesce((
		SELECT min(w.`at`) FROM (
			SELECT `until_at` AS `at`, `title` FROM `video_revision` WHERE `video_key` = t.`video_key`
			UNION ALL SELECT 9007199254740991, `title` FROM `video` WHERE `key` = t.`video_key`
		) w WHERE instr(lower(w.`title`), '#' || lower(h.`tag`)) > 0
	), 0) <= `video_revision`.`until_at`
) WHERE `tags` IS NULL;
