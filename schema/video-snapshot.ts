import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { video } from './video.ts';

/**
 * A video's counts at one instant. Read it as `video_snapshots`.
 *
 * Source: lists, growth timelines, creator profiles, imports. Written by src/load/snapshots.ts.
 * Clustered by video and time, so that one timeline is one short read. Decreases are kept as
 * observed; a gap is a gap.
 */
export const videoSnapshot = sqliteTable(
  'video_snapshot',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    observedAt: integer('observed_at').notNull(), // Unix ms; the instant the response is true at
    views: integer('views'), // as counted then
    likes: integer('likes'), // as counted then
    engagementRate: real('engagement_rate'), // percent; null when unknown or when derivable
    rateDerived: integer('rate_derived').notNull(), // 1: the rate is 100.0 * likes / views and not stored
    source: integer('source').notNull(), // position in SOURCES
    extra: text('extra'), // JSON object of further fields of this observation
  },
  (t) => [
    primaryKey({ columns: [t.videoKey, t.observedAt] }),
    index('video_snapshot_observed_at').on(t.observedAt),
  ],
);
