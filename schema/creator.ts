import { integer, real, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import type { Platform } from './vocabulary.ts';

/**
 * A creator's profile as last seen. Read it as `creators`.
 * Source: `GET /creators/{platform}/{handle}` and imports. Written by src/load/creators.ts.
 * Handles that only appear as a video's `user` are not profiles and are not here.
 */
export const creator = sqliteTable(
  'creator',
  {
    key: integer('key').primaryKey(),
    platform: text('platform').$type<Platform>().notNull(),
    handle: text('handle').notNull(), // without a leading `@`
    followers: integer('followers'), // latest known count
    videoCount: integer('video_count'), // videos the creator has published
    views: integer('views'), // over all videos
    likes: integer('likes'), // over all videos
    engagementRate: real('engagement_rate'), // percent, as pulled
    firstSeenAt: integer('first_seen_at').notNull(), // Unix ms
    extra: text('extra'), // JSON object of fields the interface does not show
  },
  (t) => [unique('creator_identity').on(t.platform, t.handle)],
);
