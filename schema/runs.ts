import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RunOutcome } from './vocabulary.ts';

/**
 * Runs of the pipeline. The next run resumes one whose outcome is `running` or `paused`.
 *
 * Written by src/run/run/run-log.ts.
 */
export const runs = sqliteTable(
  'runs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    startedAt: integer('started_at').notNull(), // Unix ms
    finishedAt: integer('finished_at'), // Unix ms; null: unfinished
    outcome: text('outcome').$type<RunOutcome>().notNull(),
    heartbeatAt: integer('heartbeat_at').notNull(), // Unix ms, renewed while the run lives
    resumesAt: integer('resumes_at'), // Unix ms; when a paused run has calls again
    jobs: text('jobs').notNull(), // JSON array of job names
    summary: text('summary'), // JSON as printed by `sync --json`
  },
  (t) => [
    index('runs_started_at').on(t.startedAt),
    index('runs_finished_at').on(t.finishedAt),
    index('runs_heartbeat_at').on(t.heartbeatAt),
  ],
);
