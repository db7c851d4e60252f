import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Progress of each imported file, so that an import can resume.
 *
 * Written by src/ingest/imports/import-file.ts in the transaction that loads the lines.
 */
export const importProgress = sqliteTable('import_progress', {
  path: text('path').primaryKey(), // absolute path
  fingerprint: text('fingerprint').notNull(), // size and hash of the first 64 KiB; a different file starts over
  lines: integer('lines').notNull(), // lines loaded
  finishedAt: integer('finished_at'), // Unix ms; null: unfinished
  oldestAt: integer('oldest_at'), // Unix ms of its oldest video snapshot; null: none
  newestAt: integer('newest_at'), // Unix ms of its newest video snapshot
});
