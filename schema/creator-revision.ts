import { integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { creator } from './creator.ts';

/**
 * What a creator's profile stated beside its counts until an instant. As of T it is that of the first
 * revision with `until_at` > T, else that of `creator`. Written by src/load/creators.ts.
 */
export const creatorRevision = sqliteTable(
  'creator_revision',
  {
    creatorKey: integer('creator_key')
      .notNull()
      .references(() => creator.key),
    untilAt: integer('until_at').notNull(), // Unix ms; the observation that first saw the new values
    engagementRate: real('engagement_rate'), // percent, as pulled
    extra: text('extra'), // JSON object of fields the interface does not show
  },
  (t) => [primaryKey({ columns: [t.creatorKey, t.untilAt] })],
);
