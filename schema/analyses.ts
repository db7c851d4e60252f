import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Why a video went viral, as answered once.
 * Source: src/lab (own analysis) or `POST /lab/analyze` of the upstream. Written by src/load/analyses.ts.
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
