import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { textNoCase } from './column-types.ts';

/**
 * One hashtag, under the spelling it was first seen with. Read it as `hashtags`.
 * Source: `GET /hashtags`, hashtags of content items, imports. Written by src/load/hashtags.ts.
 * Spellings that differ only in case or Unicode form are one tag: `folded` decides.
 */
export const hashtag = sqliteTable(
  'hashtag',
  {
    key: integer('key').primaryKey(),
    tag: textNoCase('tag').notNull(), // without `#`
    folded: text('folded').notNull().unique(), // NFKC, lower case
    firstSeenAt: integer('first_seen_at'), // Unix ms; null: on an imported video, never observed
  },
  (t) => [index('hashtag_tag').on(t.tag)],
);
