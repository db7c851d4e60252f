ALTER TABLE `quota_hint` RENAME COLUMN "said" TO "stated";
