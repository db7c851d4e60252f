import { sql } from 'drizzle-orm';
import { check, index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { PLATFORMS, type Platform } from './vocabulary.ts';

/**
 * Videos, one row each. Read them as `videos`. An older observation never overwrites a newer one, and a field
 * missing from a response keeps its value.
 *
 * Written by src/ingest/writers/videos.ts. Source: content items of every list, growth timelines, creator
 * profiles, imports. The integer key makes loading twice and updating six times as fast as a text
 * primary key.
 */
export const video = sqliteTable(
  'video',
  {
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(), // of the video
    platform: text('platform').$type<Platform>().notNull(),
    title: text('title'), // latest known
    user: text('user'), // latest known
    views: integer('views'), // latest known
    likes: integer('likes'), // latest known
    engagementRate: real('engagement_rate'), // percent; computed for imports
    createdAt: integer('created_at'), // Unix ms of publication
    firstSeenAt: integer('first_seen_at'), // Unix ms of the earliest observation; null: imported without a time
    extra: text('extra'), // JSON object: fields outside the interface, invalid values
    collectedAt: integer('collected_at'), // Unix ms; when this lake first loaded it; null: before 0.2
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
