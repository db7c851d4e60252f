import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { video } from './video.ts';

/**
 * Counts of videos. Read them as `video_snapshots`. Decreases are kept as observed.
 *
 * Written by src/ingest/writers/snapshots.ts. Source: lists, growth timelines, creator profiles, imports.
 * Clustered by video and time, so that one timeline is one short read.
 */
export const videoSnapshot = sqliteTable(
  'video_snapshot',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    observedAt: integer('observed_at').notNull(), // Unix ms; instant the response is true at
    views: integer('views'), // at that time
    likes: integer('likes'), // at that time
    engagementRate: real('engagement_rate'), // percent; null: unknown, or derived
    rateDerived: integer('rate_derived').notNull(), // 1: the rate is 100.0 * likes / views and not stored
    source: integer('source').notNull(), // position in SOURCES
    extra: text('extra'), // JSON object: other fields of this observation
  },
  (t) => [
    primaryKey({ columns: [t.videoKey, t.observedAt] }),
    index('video_snapshot_observed_at').on(t.observedAt),
  ],
);
