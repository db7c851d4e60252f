import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Analyses of why a video went viral, one row per analysis.
 *
 * Written by src/ingest/writers/analyses.ts. Source: our own analysis or `POST /lab/analyze` of the upstream.
 */
export const analyses = sqliteTable(
  'analyses',
  {
    videoId: text('video_id').notNull(),
    generatedAt: integer('generated_at').notNull(), // Unix ms
    method: text('method').notNull(), // `statistical` or `model`
    result: text('result').notNull(), // the whole response, JSON
  },
  (t) => [
    primaryKey({ columns: [t.videoId, t.generatedAt] }),
    index('analyses_generated_at').on(t.generatedAt),
  ],
);
