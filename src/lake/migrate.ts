import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { makeOwnFile } from '../data-dir/own-files.ts';
import { LakeError, UsageError } from '../errors.ts';
import { foldHandle } from '../wire/folding.ts';
import { PLAN_STATISTICS } from './plan-statistics.ts';

/** Marks a SQLite file as a lake (`tlak` in ASCII). */
export const APPLICATION_ID = 0x746c616b;

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'schema', 'migrations');
const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();

/** Schema version this trendlake reads and writes: the number of migrations. Kept as `user_version`. */
export const SCHEMA_VERSION = filesIn(MIGRATIONS).length;

const versionOf = (sqlite: Database.Database): number =>
  sqlite.pragma('user_version', { simple: true }) as number;

/** The planner's statistics are ours, not measured: plans stay the same whatever a lake holds. */
const writePlanStatistics = (sqlite: Database.Database): void => {
  sqlite.exec('analyze sqlite_schema');
  sqlite.exec('delete from sqlite_stat1');
  const insert = sqlite.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)');
  for (const [table, index, stat] of PLAN_STATISTICS) insert.run(table, index, stat);
  sqlite.exec('analyze sqlite_schema');
};

/** Copies a lake to `backup`, which appears whole or not at all; one that stands there is kept. */
const copyBefore = (sqlite: Database.Database, backup: string): void => {
  if (existsSync(backup)) return;
  const growing = `${backup}.new-${randomBytes(6).toString('hex')}`;
  makeOwnFile(growing); // takes its mode from nobody: SQLite would ask the umask
  sqlite.prepare('vacuum into ?').run(growing);
  renameSync(growing, backup);
};

/**
 * Brings a lake to the current schema, forward only, each migration in one transaction with the
 * version it leads to. A lake that holds something is copied to `<path>.v<old version>` first.
 * Does nothing when the lake is current; safe to run in two processes at once.
 * @throws UsageError when the lake is newer than this trendlake
 */
export const migrate = (sqlite: Database.Database, path: string, folder = MIGRATIONS): void => {
  const files = filesIn(folder);
  const before = versionOf(sqlite);
  if (before > files.length)
    throw new UsageError(
      `${path} was written by a newer trendlake (schema ${before}, this one knows ${files.length}). Update trendlake; the file was left as it is.`,
    );
  if (before === files.length) return;
  const backup = `${path}.v${before}`;
  if (before > 0) copyBefore(sqlite, backup);

  // for migrations alone: nothing that stays in a lake calls it, other readers do not know it
  sqlite.function('fold_handle', { deterministic: true }, (handle: string) => foldHandle(handle));

  // a new index sorts all rows of its table: in memory it would hold each, gigabytes in a large lake
  const temporary = sqlite.pragma('temp_store', { simple: true }) as number;
  sqlite.pragma('temp_store = FILE');
  // Rebuilding a table would empty its children through their foreign keys, and the switch does
  // nothing inside a transaction.
  sqlite.pragma('foreign_keys = OFF');
  try {
    files.forEach((file, index) => {
      sqlite
        .transaction(() => {
          if (versionOf(sqlite) !== index) return;
          sqlite.exec(readFileSync(join(folder, file), 'utf8'));
          const broken = sqlite.pragma('foreign_key_check') as unknown[];
          if (broken.length > 0)
            throw new LakeError(
              `Migration ${file} of ${path} would leave ${broken.length} rows without their parents. Nothing was changed; the copy is ${backup}. Please report this.`,
            );
          if (index === files.length - 1) writePlanStatistics(sqlite);
          sqlite.pragma(`user_version = ${index + 1}`);
        })
        .immediate();
    });
  } finally {
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma(`temp_store = ${temporary}`);
  }
};
