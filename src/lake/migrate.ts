import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { makeOwnFile } from '../base/data-dir/own-files.ts';
import { LakeError, UsageError } from '../base/errors.ts';
import { foldHandle } from '../base/wire/folding.ts';
import { PLAN_STATISTICS } from './plan-statistics.ts';
import { prepare } from './prepare.ts';

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

/** The planner's statistics are ours, not measured: plans stay the same as a lake grows. */
const writePlanStatistics = (sqlite: Database.Database): void => {
  sqlite.exec('analyze sqlite_schema');
  sqlite.exec('delete from sqlite_stat1');
  const insert = sqlite.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)');
  for (const [table, index, stat] of PLAN_STATISTICS) insert.run(table, index, stat);
  sqlite.exec('analyze sqlite_schema');
};

/** Options of a migration. */
export interface MigrateOptions {
  /** Folder of the migrations. */
  readonly folder?: string;
  /** True: it is a copy of a lake already, and none is made. */
  readonly isCopy?: boolean;
  /** Receives a sentence before a lake that holds something is copied. */
  readonly report?: (sentence: string) => void;
  /** Bytes that may still be written to the disk of a folder. */
  readonly freeBytes?: (folder: string) => number;
}

const roomIn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Bytes of a copy, in which no page is free. */
const copyBytes = (sqlite: Database.Database): number => {
  const read = (pragma: string) => sqlite.pragma(pragma, { simple: true }) as number;
  return (read('page_count') - read('freelist_count')) * read('page_size');
};

/**
 * Copies a lake to `backup`, which appears whole or not at all. An existing copy is
 * replaced: it may be old, from before a return to the version of then.
 * @throws LakeError where the disk has no room for it
 */
const copyBefore = (
  sqlite: Database.Database,
  { path, backup }: { path: string; backup: string },
  { report = () => {}, freeBytes = roomIn }: MigrateOptions,
): void => {
  const [bytes, free] = [copyBytes(sqlite), freeBytes(dirname(backup))];
  if (free < bytes)
    throw new LakeError(
      `${path} was made by an older trendlake and is copied before it is changed, which takes ${mebibytes(bytes)}; its disk has ${mebibytes(free)} left. Nothing was changed: make room and run the command again.`,
      { transient: true },
    );
  report(
    `${path} was made by an older trendlake: it is copied to ${basename(backup)} (${mebibytes(bytes)}) beside it, then brought up to date. Remove the copy when you are sure that you will not go back.`,
  );
  const growing = `${backup}.new-${randomBytes(6).toString('hex')}`;
  try {
    makeOwnFile(growing); // sets its mode: SQLite would use the umask
    sqlite.prepare('vacuum into ?').run(growing);
    renameSync(growing, backup);
  } finally {
    for (const suffix of ['', '-journal']) rmSync(growing + suffix, { force: true });
  }
};

/**
 * Brings a lake to the current schema, forward only, all migrations and the version in one transaction:
 * whatever ends it, the trendlake that made the lake can go on with it, or this one can. A lake that
 * holds something is copied to `<path>.v<old version>` first. Does nothing when the lake is current;
 * safe to run in two processes at once.
 * @throws UsageError when the lake is newer than this trendlake; LakeError where a copy has no room
 */
export const migrate = (
  sqlite: Database.Database,
  path: string,
  options: MigrateOptions = {},
): void => {
  const { folder = MIGRATIONS } = options;
  const files = filesIn(folder);
  const before = versionOf(sqlite);
  if (before > files.length)
    throw new UsageError(
      `${path} was written by a newer trendlake (schema ${before}, this one knows ${files.length}). Update trendlake; the file was left as it is.`,
    );
  if (before === files.length) return;
  const isCopied = before > 0 && options.isCopy !== true;
  const backup = isCopied ? `${path}.v${before}` : undefined;
  if (backup !== undefined) copyBefore(sqlite, { path, backup }, options);

  // for migrations alone: nothing that stays in a lake calls it, other readers do not know it
  sqlite.function('fold_handle', { deterministic: true }, (handle: string) => foldHandle(handle));

  // a new index sorts all rows of its table: in memory it would hold each, gigabytes in a large lake
  const temporary = sqlite.pragma('temp_store', { simple: true }) as number;
  sqlite.pragma('temp_store = FILE');
  // Rebuilding a table would empty its children through their foreign keys, and the switch does
  // nothing inside a transaction.
  sqlite.pragma('foreign_keys = OFF');
  try {
    sqlite
      .transaction(() => {
        const from = versionOf(sqlite);
        if (from >= files.length) return;
        for (const [index, file] of files.entries()) {
          if (index < from) continue;
          sqlite.exec(readFileSync(join(folder, file), 'utf8'));
          sqlite.pragma(`user_version = ${index + 1}`);
        }
        const orphans = sqlite.pragma('foreign_key_check') as unknown[];
        if (orphans.length > 0)
          throw new LakeError(
            `Bringing ${path} up to date would leave ${orphans.length} rows without their parents. Nothing was changed${backup === undefined ? '' : `; the copy is ${backup}`}. Please report this.`,
          );
        writePlanStatistics(sqlite);
      })
      .immediate();
  } finally {
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma(`temp_store = ${temporary}`);
  }
};

const TABLES = ['meta', 'runs', 'calls', ...new Set(PLAN_STATISTICS.map(([table]) => table))];

/** Explains why no trendlake can have written this schema; undefined if one can. */
export const strangeSchema = (sqlite: Database.Database): string | undefined => {
  const version = sqlite.pragma('user_version', { simple: true }) as number;
  if (version < 1) return `its schema version is ${version}, which no trendlake writes`;
  const find = `select name from sqlite_schema where type = 'view' and name in (${TABLES.map(() => '?').join(', ')}) limit 1`;
  const name = prepare(sqlite, find, 'text').get(...TABLES);
  return name === undefined
    ? undefined
    : `${name} is a view where a lake has a table, so somebody changed the file`;
};

/** @throws UsageError for a lake that another program changed */
export const refuseStrangeSchema = (sqlite: Database.Database, path: string): void => {
  const strange = strangeSchema(sqlite);
  if (strange === undefined) return;
  throw new UsageError(
    `${path} is not a lake that trendlake can use: ${strange}. It was left as it is. Restore a backup, or move the file away.`,
  );
};
