import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * How far an import of a file has come, so that it can go on where it stopped.
 * Written by src/load/import-file.ts in the transaction that loads the lines.
 */
export const importProgress = sqliteTable('import_progress', {
  path: text('path').primaryKey(), // absolute
  fingerprint: text('fingerprint').notNull(), // size and hash of the first 64 KiB; another file starts anew
  lines: integer('lines').notNull(), // lines loaded and committed
  finishedAt: integer('finished_at'), // Unix ms; null while unfinished
  oldestAt: integer('oldest_at'), // Unix ms; the oldest of the snapshots of videos that it brought, null without any
  newestAt: integer('newest_at'), // Unix ms; the newest of them
});
