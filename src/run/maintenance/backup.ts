import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import type { Clock } from '../../base/clock.ts';
import { BACKUPS, type Backup, backupsIn } from '../../base/data-dir/backups.ts';
import { makeOwnFile, OWN_FOLDER } from '../../base/data-dir/own-files.ts';
import { fullDiskOf, LakeError, messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { dateOf } from '../../base/iso.ts';
import { workerFile } from '../../base/worker-file.ts';
import { whileAlone, withExclusive } from '../../lake/exclusive.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import type { Lake } from '../../lake/open.ts';
import { faultOf } from './lake-fault.ts';

export interface BackupOptions {
  readonly clock: Clock;
  readonly keep?: number;
  readonly signal?: AbortSignal;
  /** A larger copy is checked in a process of its own. */
  readonly checkedHereBytes?: number;
}

const PAGES_A_TURN = 1000; // 4 MB; signals arrive between turns
/** A copy that grows, of whatever day, and its journals. */
const UNFINISHED = /^trendlake-\d{4}-\d\d-\d\d\.db\.new(-wal|-shm|-journal)?$/;

/** Files that a process left which died over a backup; empty while a backup is being made. */
export const unfinishedBackups = (dataDir: string): string[] => {
  const folder = join(dataDir, BACKUPS);
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).filter((name) => UNFINISHED.test(name));
  if (found.length === 0) return [];
  try {
    whileAlone(dataDir, 'backup', 0, () => {});
    return found.map((name) => join(folder, name));
  } catch {
    return [];
  }
};

/** Removes them. Nothing happens while a backup is being made. */
export const removeUnfinishedBackups = (dataDir: string): void => {
  if (unfinishedBackups(dataDir).length === 0) return;
  whileAlone(dataDir, 'backup', 0, () => dropUnfinished(dataDir));
};

/** Removes what a process left that died over a backup. Call it under the lock of backups. */
const dropUnfinished = (dataDir: string): void => {
  const folder = join(dataDir, BACKUPS);
  for (const name of readdirSync(folder))
    if (UNFINISHED.test(name)) rmSync(join(folder, name), { force: true });
};

/** Files up to this size are checked on the spot: within a second. */
const CHECKED_HERE_BYTES = 16 * 1024 * 1024;
const CHILD = fileURLToPath(workerFile(import.meta.url, 'fault-child'));

/** `faultOf` a file that may be large, in a process that a signal ends. */
const faultElsewhere = async (
  path: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> => {
  signal?.throwIfAborted(); // it may have come with the last pages
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

/** What went wrong over a backup, in words where it is a file's or the disk's doing. */
const explain = (error: unknown, path: string): unknown => {
  if (error instanceof Error && 'syscall' in error)
    return new LakeError(
      `The backup of ${path} could not be written: ${fullDiskOf(error) ?? error.message}. The backups before it stay. See that trendlake may write there and that the disk has room.`,
      { cause: error, transient: fullDiskOf(error) !== undefined },
    );
  return lakeErrorOf(error, `The backup of ${path}`) ?? error;
};

/**
 * Copies the lake as it is now. Over a connection of its own that reads all the while: without, the
 * copy would begin anew whenever another process commits, in a large lake for ever.
 */
const copyPages = async (
  lake: Lake,
  to: string,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const sqlite = new Database(lake.path, { readonly: true, fileMustExist: true });
  try {
    sqlite.exec('begin');
    sqlite.prepare('select 1 from sqlite_schema').get();
    await sqlite.backup(to, {
      progress: () => {
        signal?.throwIfAborted();
        return PAGES_A_TURN;
      },
    });
  } finally {
    sqlite.close();
  }
};

/** Makes a checked copy of the lake appear at `path`, whole or not at all. */
const copyTo = async (
  lake: Lake,
  path: string,
  {
    signal,
    checkedHereBytes = CHECKED_HERE_BYTES,
  }: Pick<BackupOptions, 'signal' | 'checkedHereBytes'>,
): Promise<void> => {
  const growing = `${path}.new`;
  const drop = (): void => {
    for (const suffix of ['', '-wal', '-shm', '-journal'])
      rmSync(growing + suffix, { force: true });
  };
  mkdirSync(dirname(path), { recursive: true, mode: OWN_FOLDER });
  dropUnfinished(lake.dataDir);
  makeOwnFile(growing);
  try {
    await copyPages(lake, growing, signal);
    const isSmall = statSync(growing).size <= checkedHereBytes;
    const fault = isSmall ? faultOf(growing) : await faultElsewhere(growing, signal);
    if (fault !== undefined)
      throw new LakeError(
        `The backup of ${lake.path} is not whole: ${fault}. The backups before it stay; run \`${commandText('doctor')}\`.`,
      );
    renameSync(growing, path);
  } finally {
    drop();
  }
};

/**
 * Copies the lake by SQLite's online backup to `<data dir>/backups/trendlake-<UTC date>.db`, checks
 * the copy, puts it in place whole, and keeps the newest `keep`. Writers go on meanwhile. A second
 * backup of a day replaces the first.
 * @throws LakeError (UsageError when the folder takes no files) when another backup is at work or
 * the copy is not whole or cannot be written, the signal's reason when stopped; those before stay
 */
export const backupLake = async (
  lake: Lake,
  { clock, keep = 7, ...options }: BackupOptions,
): Promise<Backup> => {
  const path = join(lake.dataDir, BACKUPS, `trendlake-${dateOf(clock.now())}.db`);
  try {
    return await withExclusive(lake.dataDir, 'backup', clock, async () => {
      await copyTo(lake, path, options);
      const others = backupsIn(lake.dataDir).filter((backup) => backup.path !== path);
      for (const old of others.slice(0, Math.max(0, others.length + 1 - keep))) rmSync(old.path);
      return { path, bytes: statSync(path).size };
    });
  } catch (error) {
    throw explain(error, lake.path);
  }
};
