import { integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { creator } from './creator.ts';

/**
 * Earlier profile fields of a creator. The profile at time T is the first revision with `until_at` >
 * T, or else the row in `creator`.
 *
 * Written by src/ingest/writers/creators.ts.
 */
export const creatorRevision = sqliteTable(
  'creator_revision',
  {
    creatorKey: integer('creator_key')
      .notNull()
      .references(() => creator.key),
    untilAt: integer('until_at').notNull(), // Unix ms; first observation of the next values
    engagementRate: real('engagement_rate'), // percent, as pulled
    extra: text('extra'), // JSON object: fields outside the interface
  },
  (t) => [primaryKey({ columns: [t.creatorKey, t.untilAt] })],
);
