import { sql } from 'drizzle-orm';
import { check, index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { PLATFORMS, type Platform } from './vocabulary.ts';

/**
 * One video as it was last seen. Read it as `videos`.
 *
 * Source: content items of every list, growth timelines, creator profiles, imports.
 * Written by src/load/videos.ts. An older observation never overwrites a newer one, and a field
 * a response leaves out keeps its value. The integer key makes loading twice and updating six
 * times as fast as a text primary key would.
 */
export const video = sqliteTable(
  'video',
  {
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(), // platform prefix, `_`, the platform's own id
    platform: text('platform').$type<Platform>().notNull(),
    title: text('title'), // title or caption as last seen
    user: text('user'), // handle of the creator as last seen
    views: integer('views'), // latest known count
    likes: integer('likes'), // latest known count
    engagementRate: real('engagement_rate'), // percent; as pulled, computed for imports
    createdAt: integer('created_at'), // Unix ms; when the creator published it
    firstSeenAt: integer('first_seen_at'), // Unix ms of the earliest observation; null: imported, never observed
    extra: text('extra'), // JSON object of fields the interface does not show, and `odd` values
  },
  (t) => [
    check(
      'video_platform',
      sql`${t.platform} in (${sql.raw(PLATFORMS.map((p) => `'${p}'`).join(', '))})`,
    ),
    index('video_platform_user').on(t.platform, t.user),
    index('video_created_at').on(t.createdAt),
    index('video_first_seen_at').on(t.firstSeenAt),
  ],
);
