import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { watches } from './watches.ts';

/**
 * Tags of watches, such as clients and campaigns.
 *
 * Written by src/lake/watches/watches.ts.
 */
export const watchTags = sqliteTable(
  'watch_tags',
  {
    watchId: text('watch_id')
      .notNull()
      .references(() => watches.id, { onDelete: 'cascade' }),
    tag: text('tag').notNull(), // lower case
  },
  (t) => [primaryKey({ columns: [t.watchId, t.tag] }), index('watch_tags_tag').on(t.tag)],
);
