import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type Database from 'better-sqlite3';
import type { Clock } from '../../base/clock.ts';
import { BACKUPS, type Backup, backupsIn, REWRITING } from '../../base/data-dir/backups.ts';
import { makeOwnFile, OWN_FOLDER } from '../../base/data-dir/own-files.ts';
import { fullDiskOf, LakeError, messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { dateOf } from '../../base/iso.ts';
import { workerFile } from '../../base/worker-file.ts';
import { openDatabase } from '../../lake/database.ts';
import { whileAlone, withExclusive } from '../../lake/exclusive.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import { type Lake, WAIT_MS } from '../../lake/open.ts';

export interface BackupOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

const KEPT = 7;
const PAGES_A_TURN = 1000; // 4 MB; signals arrive between turns
const JOURNAL = '(-wal|-shm|-journal)?';
/** Unfinished copies, and what packing, unpacking and rewriting left, with their journals. */
const UNFINISHED = new RegExp(
  [
    `^trendlake-\\d{4}-\\d\\d-\\d\\d\\.db\\.(zst|new${JOURNAL})$`,
    `^service\\.db\\.packing(\\.zst|${JOURNAL})$`,
    `^trendlake-[\\d-]+T[\\d-]+Z\\.(service\\.)?db(\\.zst|${JOURNAL})$`,
    `^${REWRITING}$`,
  ].join('|'),
);

const unfinishedIn = (dataDir: string): string[] => {
  const folder = join(dataDir, BACKUPS);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => UNFINISHED.test(name));
  return names.map((name) => join(folder, name));
};

/** Files of interrupted backups; empty while a backup is running. */
export const unfinishedBackups = (dataDir: string): string[] => {
  const found = unfinishedIn(dataDir);
  if (found.length === 0) return [];
  try {
    return whileAlone(dataDir, 'backup', 0, () => found);
  } catch {
    return [];
  }
};

/** Call it under the lock of backups. */
export const dropUnfinished = (dataDir: string): void => {
  for (const path of unfinishedIn(dataDir)) rmSync(path, { recursive: true, force: true });
};

/** Removes files of interrupted backups. Does nothing while a backup is running. */
export const removeUnfinishedBackups = (dataDir: string): void => {
  if (unfinishedBackups(dataDir).length > 0)
    whileAlone(dataDir, 'backup', 0, () => dropUnfinished(dataDir));
};

const CHILD = fileURLToPath(workerFile(import.meta.url, 'fault-child'));

/** Reason why a file is not a usable lake; undefined if it is. A child process checks it. */
export const faultOf = async (path: string, signal?: AbortSignal): Promise<string | undefined> => {
  signal?.throwIfAborted(); // may be aborted during the last pages
  const ended = promisify(execFile)(process.execPath, [CHILD, path], { env: {} });
  const kill = (): void => void ended.child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  try {
    return (JSON.parse((await ended).stdout) as string | null) ?? undefined;
  } catch (error) {
    signal?.throwIfAborted();
    return `it could not be checked (${messageOf(error)})`;
  } finally {
    signal?.removeEventListener('abort', kill);
  }
};

/** Removes a database with its journals. */
export const removeDatabase = (path: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
};

/** Explains errors of files and the disk; returns other errors unchanged. */
const explain = (error: unknown, path: string): unknown => {
  if (error instanceof Error && 'syscall' in error)
    return new LakeError(
      `The backup of ${path} could not be written: ${fullDiskOf(error) ?? error.message}. Earlier backups are kept. Check that trendlake can write there and that the disk has room.`,
      { cause: error, transient: fullDiskOf(error) !== undefined },
    );
  return lakeErrorOf(error, `The backup of ${path}`) ?? error;
};

/**
 * Opens a read transaction on a second connection. Without it, SQLite restarts a copy at every commit
 * of another process, and a large lake would never finish.
 */
export const openReading = (path: string): Database.Database & Disposable => {
  const sqlite = openDatabase(path, { readonly: true, fileMustExist: true, timeout: WAIT_MS });
  sqlite.exec('begin');
  sqlite.prepare('select 1 from sqlite_schema').get();
  return sqlite;
};

/** Copies what a read transaction sees, a few pages a turn. */
export const copyPages = async (
  reading: Database.Database,
  to: string,
  signal: AbortSignal | undefined,
): Promise<void> => {
  await reading.backup(to, {
    progress: () => {
      signal?.throwIfAborted();
      return PAGES_A_TURN;
    },
  });
};

/**
 * Copies what `reading` sees of the lake to `<data dir>/backups/trendlake-<UTC date>.db`, checks the copy
 * and keeps the newest seven. Call it under the lock of backups.
 */
export const copyLake = async (
  lake: Lake,
  reading: Database.Database,
  { clock, signal }: BackupOptions,
): Promise<Backup> => {
  const path = join(lake.dataDir, BACKUPS, `trendlake-${dateOf(clock.now())}.db`);
  const growing = `${path}.new`;
  mkdirSync(dirname(path), { recursive: true, mode: OWN_FOLDER });
  dropUnfinished(lake.dataDir);
  makeOwnFile(growing);
  try {
    await copyPages(reading, growing, signal);
    const fault = await faultOf(growing, signal);
    if (fault !== undefined)
      throw new LakeError(
        `The backup of ${lake.path} is damaged: ${fault}. Earlier backups are kept. Run \`${commandText('doctor')}\` to check the lake.`,
      );
    renameSync(growing, path);
  } finally {
    removeDatabase(growing);
  }
  const others = backupsIn(lake.dataDir).filter((backup) => backup.path !== path);
  for (const old of others.slice(0, Math.max(0, others.length + 1 - KEPT))) rmSync(old.path);
  return { path, bytes: statSync(path).size };
};

/** Runs `work` as the only backup of a lake, and explains its errors. */
export const whileBackingUp = async <T>(
  lake: Lake,
  clock: Clock,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await withExclusive(lake.dataDir, 'backup', clock, work);
  } catch (error) {
    throw explain(error, lake.path);
  }
};

/**
 * Copies the lake as `copyLake` does. Writers are not blocked. A second backup of a day replaces the
 * first.
 * @throws LakeError when another backup is running or the copy is damaged or cannot be written;
 * UsageError when the folder takes no files; the signal's reason when stopped
 */
export const backupLake = (lake: Lake, options: BackupOptions): Promise<Backup> =>
  whileBackingUp(lake, options.clock, async () => {
    using reading = openReading(lake.path);
    return await copyLake(lake, reading, options);
  });
