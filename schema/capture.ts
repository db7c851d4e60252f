import { index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';

/**
 * Pulls of a list, one row each, with all its pages. Readers use a list only when its last page is
 * loaded.
 *
 * Written by src/ingest/writers/rankings.ts with the first page, completed with the last.
 */
export const capture = sqliteTable(
  'capture',
  {
    key: integer('key').primaryKey(),
    list: text('list').notNull(), // `feed`, `trends` or `hashtags`; `import`: ranks of imported snapshots
    platform: text('platform').notNull(), // empty: all platforms
    period: text('period').notNull(), // `day`, `week`, `month` (trends), else the dateRange
    capturedAt: integer('captured_at').notNull(), // Unix ms; instant of the first page
    completedAt: integer('completed_at'), // Unix ms; instant of the last page; null: incomplete
    total: integer('total'), // as stated by the service
    runId: integer('run_id'),
  },
  (t) => [
    unique('capture_identity').on(t.list, t.platform, t.period, t.capturedAt),
    index('capture_platform').on(t.platform, t.capturedAt),
    index('capture_captured_at').on(t.capturedAt),
    index('capture_completed_at').on(t.completedAt),
    index('capture_run').on(t.runId),
  ],
);
