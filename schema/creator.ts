import { integer, real, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import type { Platform } from './vocabulary.ts';

/**
 * Creator profiles. Read them as `creators`. A handle that only appears as the `user` of a video has
 * no row.
 *
 * Written by src/ingest/writers/creators.ts. Source: `GET /creators/{platform}/{handle}` and imports.
 */
export const creator = sqliteTable(
  'creator',
  {
    key: integer('key').primaryKey(),
    platform: text('platform').$type<Platform>().notNull(),
    handle: text('handle').notNull(), // without `@`
    followers: integer('followers'), // latest known
    videoCount: integer('video_count'), // published videos
    views: integer('views'), // total of all videos
    likes: integer('likes'), // total of all videos
    engagementRate: real('engagement_rate'), // percent, as pulled
    firstSeenAt: integer('first_seen_at').notNull(), // Unix ms
    extra: text('extra'), // JSON object: fields outside the interface
  },
  (t) => [unique('creator_identity').on(t.platform, t.handle)],
);
