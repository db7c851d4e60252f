import { index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';

/**
 * One pull of one list: all pages that one run asked of it. Until the last of them was loaded it is
 * half a list, and nobody who reads takes it for one: the list before it stands.
 * Written by src/load/rankings.ts with the first page, completed with the last.
 */
export const capture = sqliteTable(
  'capture',
  {
    key: integer('key').primaryKey(),
    list: text('list').notNull(), // `feed`, `trends` or `hashtags`
    platform: text('platform').notNull(), // '' where the list covers all
    period: text('period').notNull(), // trends: day, week, month; feed and hashtags: the dateRange
    capturedAt: integer('captured_at').notNull(), // Unix ms; the instant the first page is true at
    completedAt: integer('completed_at'), // Unix ms; the instant the last page is true at; null: pages are missing
    total: integer('total'), // matching items by the response's own count
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
