import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Platform } from './vocabulary.ts';

/**
 * Trained forecast models. A row is kept as long as forecasts refer to it.
 *
 * Written by src/learn/model/model-rows.ts. Source: the curves in this lake. Training again at the same
 * instant gives the same row.
 */
export const models = sqliteTable(
  'models',
  {
    id: integer('id').primaryKey(),
    kind: text('kind').notNull(), // `video.` and how the videos were first seen (`list`, `search`, ...), or `hashtag.`, source and window
    platform: text('platform').$type<Platform | ''>().notNull(), // empty: hashtag volumes over all platforms
    learntAt: integer('learnt_at').notNull(), // Unix ms
    learntUntil: integer('learnt_until').notNull(), // Unix ms of the newest observation used
    samples: integer('samples').notNull(), // finished curves, or outcomes by tag and week
    scores: text('scores').notNull(), // JSON: results on held-out curves
    parameters: blob('parameters', { mode: 'buffer' }).notNull(), // gzip of JSON, with a version
  },
  (t) => [index('models_kind').on(t.platform, t.kind, t.learntAt)],
);
