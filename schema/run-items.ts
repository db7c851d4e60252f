import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { runs } from './runs.ts';
import type { ItemState } from './vocabulary.ts';

/**
 * One request a run means to make, and what became of it.
 * Planned by jobs/*; written by src/runner/run-log.ts, its `done` in the transaction that loads the response.
 */
export const runItems = sqliteTable(
  'run_items',
  {
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    job: text('job').notNull(),
    request: text('request').notNull(), // method, path and query, as sent
    requestJson: text('request_json').notNull(), // the request in its typed form
    position: integer('position').notNull(), // order of planning
    state: text('state').$type<ItemState>().notNull(),
    attempts: integer('attempts').notNull(),
    error: text('error'), // the last failure, in words
    reason: text('reason'), // JSON: why this request was chosen
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.job, t.request] }),
    index('run_items_state').on(t.runId, t.state, t.position),
  ],
);
