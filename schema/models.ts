import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Platform } from './vocabulary.ts';

/**
 * What was learnt of the videos of one platform that were first seen one way, or of the volumes of its
 * hashtags. Rows are kept as long
 * as forecasts name them, so that each forecast can be made again.
 * Source: the lake's own curves. Written by src/forecast/model-rows.ts. Learning from the same lake
 * at the same instant gives the same row.
 */
export const models = sqliteTable(
  'models',
  {
    id: integer('id').primaryKey(),
    kind: text('kind').notNull(), // `video.` and how it was first seen: `list` (feed, trends) or the source of its first snapshot; `hashtag.`, the source of the volumes and their window
    platform: text('platform').$type<Platform | ''>().notNull(), // '' for hashtag volumes over all platforms
    learntAt: integer('learnt_at').notNull(), // Unix ms
    learntUntil: integer('learnt_until').notNull(), // Unix ms; nothing observed later was known
    samples: integer('samples').notNull(), // finished curves it was learnt from; of hashtags, outcomes, one a tag and week
    scores: text('scores').notNull(), // JSON: how it did on curves held back, how its forerunners did of late
    parameters: blob('parameters', { mode: 'buffer' }).notNull(), // gzip of JSON, with a version
  },
  (t) => [index('models_kind').on(t.platform, t.kind, t.learntAt)],
);
