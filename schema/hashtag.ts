import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { textNoCase } from './column-types.ts';

/**
 * Hashtags under the spelling seen first. Read them as `hashtags`. Spellings that differ in case or
 * Unicode form are one hashtag.
 *
 * Written by src/ingest/writers/hashtags.ts. Source: `GET /hashtags`, hashtags of content items, imports.
 */
export const hashtag = sqliteTable(
  'hashtag',
  {
    key: integer('key').primaryKey(),
    tag: textNoCase('tag').notNull(), // without `#`
    folded: text('folded').notNull().unique(), // NFKC, lower case
    firstSeenAt: integer('first_seen_at'), // Unix ms; null: imported without a time
  },
  (t) => [index('hashtag_tag').on(t.tag)],
);
