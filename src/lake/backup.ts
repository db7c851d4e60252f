import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { type Clock, dateOf, isoOf } from '../clock.ts';
import { LakeError, messageOf, UsageError } from '../errors.ts';
import { whileAlone, withExclusive } from './exclusive.ts';
import { lakeErrorOf } from './explain-error.ts';
import { restoredName } from './leftovers.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from './migrate.ts';
import { LAKE_FILE, type Lake, MIGRATION, WAIT_MS } from './open.ts';

/** A copy of the lake in `<data dir>/backups`. */
export interface Backup {
  path: string;
  bytes: number;
}

const FOLDER = 'backups';
const PAGES_A_TURN = 1000; // 4 MB; signals arrive between turns
const NAME = /^trendlake-\d{4}-\d\d-\d\d\.db$/;

/** Backups of a data directory, oldest first. */
export const backupsIn = (dataDir: string): Backup[] => {
  const folder = join(dataDir, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => join(folder, name))
    .map((path) => ({ path, bytes: statSync(path).size }));
};

/** What keeps a file from being a lake that can be used, in words; undefined when nothing does. */
const faultOf = (path: string): string | undefined => {
  try {
    const sqlite = new Database(path, { readonly: true, fileMustExist: true });
    try {
      if (sqlite.pragma('application_id', { simple: true }) !== APPLICATION_ID)
        return 'it is no lake';
      const version = sqlite.pragma('user_version', { simple: true }) as number;
      if (version > SCHEMA_VERSION) return `a newer trendlake wrote it (schema ${version})`;
      const said = sqlite.pragma('integrity_check(1)', { simple: true });
      return said === 'ok' ? undefined : `it is damaged (${said})`;
    } finally {
      sqlite.close();
    }
  } catch (error) {
    return messageOf(error);
  }
};

/** What went wrong over a backup, in words where it is a file's or the disk's doing. */
const explain = (error: unknown, path: string): unknown => {
  if (error instanceof Error && 'syscall' in error)
    return new LakeError(
      `The backup of ${path} could not be written: ${error.message}. The backups before it stay. See that trendlake may write there and that the disk has room.`,
      { cause: error, transient: 'code' in error && error.code === 'ENOSPC' },
    );
  return lakeErrorOf(error, `The backup of ${path}`) ?? error;
};

/** Makes a checked copy of the lake appear at `path`, whole or not at all. */
const copyTo = async (lake: Lake, path: string, signal: AbortSignal | undefined): Promise<void> => {
  const growing = `${path}.new`;
  const drop = (): void => {
    for (const suffix of ['', '-wal', '-shm', '-journal'])
      rmSync(growing + suffix, { force: true });
  };
  mkdirSync(dirname(path), { recursive: true });
  drop();
  try {
    await lake.sqlite.backup(growing, {
      progress: () => {
        signal?.throwIfAborted();
        return PAGES_A_TURN;
      },
    });
    const fault = faultOf(growing);
    if (fault !== undefined)
      throw new LakeError(
        `The backup of ${lake.path} is not whole: ${fault}. The backups before it stay; run \`trendlake doctor\`.`,
      );
    for (const suffix of ['-wal', '-shm']) rmSync(growing + suffix, { force: true });
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
  { clock, keep = 7, signal }: { clock: Clock; keep?: number; signal?: AbortSignal },
): Promise<Backup> => {
  const path = join(lake.dataDir, FOLDER, `trendlake-${dateOf(clock.now())}.db`);
  try {
    return await withExclusive(lake.dataDir, 'backup', clock, async () => {
      await copyTo(lake, path, signal);
      for (const old of backupsIn(lake.dataDir).slice(0, -keep)) rmSync(old.path);
      return { path, bytes: statSync(path).size };
    });
  } catch (error) {
    throw explain(error, lake.path);
  }
};

/**
 * Copies the calls that `old` counted since the backup was made, so that the month's count goes on.
 * @returns how many; null where the old file is too damaged to tell
 */
const carryLedger = (path: string, old: string): number | null => {
  const sqlite = new Database(path);
  try {
    sqlite.prepare('attach ? as old').run(old);
    const newer =
      'select * from old.calls where id > (select coalesce(max(id), 0) from main.calls)';
    return sqlite.prepare(`insert into main.calls ${newer}`).run().changes;
  } catch {
    return null;
  } finally {
    sqlite.close();
  }
};

/** What a restore did. */
export interface Restored {
  from: string;
  /** Where the lake that stood there is now; null when there was none. */
  setAside: string | null;
  /** Calls made since the backup that are counted on; null when the old lake could not tell. */
  callsCarried: number | null;
}

/** The newest of the lakes set aside; undefined when there is none. */
const lastSetAside = (dataDir: string): string | undefined =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith(`${LAKE_FILE}.before-`) && !/-(wal|shm)$/.test(name))
    .sort()
    .map((name) => join(dataDir, name))
    .at(-1);

/**
 * Makes a copy of a backup that counts the calls of `old` on; until it is in its place no empty lake
 * is made in its stead.
 */
const prepareCopy = (path: string, from: string, old: string | undefined): number | null => {
  const growing = `${path}.new-${randomBytes(6).toString('hex')}`;
  copyFileSync(from, growing);
  const callsCarried = old === undefined ? 0 : carryLedger(growing, old);
  renameSync(growing, restoredName(path));
  return callsCarried;
};

/** Exchanges the lake at `path`, if there is one, for the copy. */
const exchange = (path: string, setAside: string): void => {
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, setAside + suffix);
  renameSync(restoredName(path), path);
};

/**
 * Puts a backup in the lake's place, after checking it. What stood there is kept beside it, and the
 * calls it counted since are counted on where it can still be read. One that was cut off is done
 * again: the lake it had set aside is the one whose calls are counted on.
 * @param file undefined: the newest backup
 * @throws UsageError when there is no such backup or it is not whole; nothing is changed then
 */
export const restoreLake = (
  dataDir: string,
  file: string | undefined,
  clock: Clock,
): Promise<Restored> =>
  withExclusive(dataDir, 'sync', clock, async () => {
    const from = file ?? backupsIn(dataDir).at(-1)?.path;
    if (from === undefined)
      throw new UsageError(`There is no backup in ${join(dataDir, FOLDER)}. Name a file.`);
    const fault = existsSync(from) ? faultOf(from) : 'there is no such file';
    if (fault !== undefined)
      throw new UsageError(`${from} cannot be restored: ${fault}. Nothing was changed.`);
    const path = join(dataDir, LAKE_FILE);
    return whileAlone(dataDir, MIGRATION, WAIT_MS, () => {
      const wasCutOff = !existsSync(path) && existsSync(restoredName(path));
      const before = wasCutOff ? lastSetAside(dataDir) : undefined;
      const stands = existsSync(path);
      const stamped = `${path}.before-${isoOf(clock.now()).replace(/[:.]/g, '-')}`;
      const callsCarried = prepareCopy(path, from, stands ? path : before);
      exchange(path, before ?? stamped);
      const setAside = before ?? (stands ? stamped : null);
      return { from, setAside, callsCarried };
    });
  });
