import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { runs } from './runs.ts';
import type { ItemState } from './vocabulary.ts';

/**
 * Planned requests of each run and their results.
 *
 * Written by src/run/run/run-log.ts; planned by jobs/*, `done` is set in the transaction that loads the
 * response.
 */
export const runItems = sqliteTable(
  'run_items',
  {
    runId: integer('run_id')
      .notNull()
      .references(() => runs.id),
    job: text('job').notNull(),
    request: text('request').notNull(), // method, path and query
    requestJson: text('request_json').notNull(), // typed form of the request
    position: integer('position').notNull(), // planned order
    state: text('state').$type<ItemState>().notNull(),
    attempts: integer('attempts').notNull(),
    error: text('error'), // last failure
    reason: text('reason'), // JSON: why this request was chosen
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.job, t.request] }),
    index('run_items_state').on(t.runId, t.state, t.position),
  ],
);
