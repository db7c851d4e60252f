import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RunOutcome } from './vocabulary.ts';

/**
 * One run of the pipeline. Written by src/runner/run-log.ts.
 * A run whose outcome is `running` or `paused` is unfinished and is resumed by the next one.
 */
export const runs = sqliteTable(
  'runs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    startedAt: integer('started_at').notNull(), // Unix ms
    finishedAt: integer('finished_at'), // Unix ms; null while unfinished
    outcome: text('outcome').$type<RunOutcome>().notNull(),
    heartbeatAt: integer('heartbeat_at').notNull(), // Unix ms; renewed while the run lives
    resumesAt: integer('resumes_at'), // Unix ms; paused: when calls are free again
    jobs: text('jobs').notNull(), // JSON array of the job names it runs
    summary: text('summary'), // JSON, as `sync --json` prints it
  },
  (t) => [
    index('runs_started_at').on(t.startedAt),
    index('runs_finished_at').on(t.finishedAt),
    index('runs_heartbeat_at').on(t.heartbeatAt),
  ],
);
