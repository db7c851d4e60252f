import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from '../../base/clock.ts';
import { BACKUPS, backupsIn } from '../../base/data-dir/backups.ts';
import { restoredName } from '../../base/data-dir/leftovers.ts';
import { OWN_FILE } from '../../base/data-dir/own-files.ts';
import { fullDiskOf, LakeError, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import { whileAlone, withExclusive } from '../../lake/exclusive.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import { markRestored } from '../../lake/meta.ts';
import { migrate } from '../../lake/migrate.ts';
import { LAKE_FILE, MIGRATION, WAIT_MS } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { foreignObject } from './foreign-object.ts';
import { faultOf } from './lake-fault.ts';

export interface Restored {
  from: string;
  /** Where the lake that stood there is now; null when there was none. */
  setAside: string | null;
  /** Calls made since the backup that are counted on; null when the old lake could not tell. */
  callsCarried: number | null;
}

const SET_ASIDE = /\.before-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)$/;

/** The lake set aside last; undefined when there is none. */
const lastSetAside = (dataDir: string): string | undefined =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith(LAKE_FILE) && SET_ASIDE.test(name))
    .sort()
    .map((name) => join(dataDir, name))
    .at(-1);

/** A name to set a lake aside under: later than those before it, even where the clock was set back. */
const nextSetAside = (dataDir: string, now: number): string => {
  const last = lastSetAside(dataDir)?.replace(SET_ASIDE, ' $1:$2:$3.$4').split(' ').at(-1);
  const at = last === undefined ? now : Math.max(now, Date.parse(last) + 1);
  return join(dataDir, `${LAKE_FILE}.before-${isoOf(at).replace(/[:.]/g, '-')}`);
};

/** Moves what lies beside a lake where another process holds it open: its last commits are there. */
const moveJournals = (from: string, to: string): void => {
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix);
};

/** Copies a database with the commits that its journal holds. */
const copyDatabase = (from: string, to: string): void => {
  const journal = statSync(`${from}-wal`, { throwIfNoEntry: false });
  if (journal === undefined || journal.size === 0) {
    copyFileSync(from, to);
    return;
  }
  const sqlite = new Database(from, { readonly: true });
  try {
    sqlite.prepare('vacuum into ?').run(to);
  } finally {
    sqlite.close();
  }
};

/** As long as all who open the lake wait for another program's lock. */
const LOCK_WAIT_MS = 10_000;

/** What may be otherwise the next time; whoever counts on would lose the calls by going on. */
const PASSING = /^SQLITE_(FULL|BUSY|LOCKED)/;

/** Columns that the calls of a lake and of the one attached as `old` have: either may be of an older schema. */
const SHARED_COLUMNS = `
  select group_concat('"' || m.name || '"', ', ') from pragma_table_info('calls', 'main') m
  join pragma_table_info('calls', 'old') o on o.name = m.name`;

/**
 * Copies the calls that `old` counted since the backup was made, so that the month's count goes on.
 * @returns how many
 */
const carryCalls = (sqlite: Database.Database): number => {
  const columns = prepare(sqlite, SHARED_COLUMNS, 'text?').get();
  const { changes } = sqlite
    .prepare(
      `insert into main.calls (${columns}) select ${columns} from old.calls
       where id > (select coalesce(max(id), 0) from main.calls)`,
    )
    .run();
  // their runs are not in the backup: one that got such a run's number would count them as its own
  const lastRun = prepare(
    sqlite,
    'select coalesce(max(run_id), 0) from main.calls',
    'number',
  ).get();
  const raised = sqlite
    .prepare("update main.sqlite_sequence set seq = max(seq, ?) where name = 'runs'")
    .run(lastRun);
  if (raised.changes === 0)
    sqlite.prepare("insert into main.sqlite_sequence (name, seq) values ('runs', ?)").run(lastRun);
  return changes;
};

/**
 * Has a copy of a backup count on from where `old` is.
 * @returns how many calls that carries over; null where the old file is too damaged to tell
 */
const carryLedger = (path: string, old: string, lockWaitMs: number): number | null => {
  const sqlite = new Database(path, { timeout: lockWaitMs });
  try {
    sqlite.prepare('attach ? as old').run(old);
    return sqlite.transaction(carryCalls)(sqlite);
  } catch (error) {
    if (error instanceof Database.SqliteError && PASSING.test(error.code)) throw error;
    return null;
  } finally {
    sqlite.close();
  }
};

/** Brings a copy of a backup that an older trendlake made up to date. */
const bringUpToDate = (path: string, from: string): void => {
  const sqlite = new Database(path);
  try {
    migrate(sqlite, path, { isCopy: true });
    const foreign = foreignObject(sqlite);
    if (foreign !== undefined)
      throw new UsageError(
        `${from} cannot be restored: its ${foreign} was not made by trendlake. Nothing was changed.`,
      );
    markRestored(sqlite); // Parquet files of before no longer show this lake
  } finally {
    sqlite.close();
  }
};

/** Syncs a file to disk, so that it survives a power cut. */
const keepOnDisk = (path: string): void => {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/**
 * Makes a copy of a backup that counts the calls of `old` on; until it is in its place no empty lake
 * is made in its stead.
 */
const prepareCopy = (
  path: string,
  from: string,
  old: string | undefined,
  lockWaitMs: number,
): number | null => {
  const growing = `${path}.new-${randomBytes(6).toString('hex')}`;
  try {
    copyDatabase(from, growing);
    chmodSync(growing, OWN_FILE); // a copy has the mode of what was copied
    bringUpToDate(growing, from); // an older one has no room for all that is told of a call
    const callsCarried = old === undefined ? null : carryLedger(growing, old, lockWaitMs);
    keepOnDisk(growing);
    renameSync(growing, restoredName(path));
    return callsCarried;
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal'])
      rmSync(growing + suffix, { force: true });
  }
};

/**
 * Exchanges the lake of a data directory for a copy of `from`. The lake is moved before its journals:
 * alone at its place it would be opened without its last commits. One that was cut off in between
 * is brought together where it was set aside, so that the calls in its journal are counted too.
 */
const exchange = (dataDir: string, from: string, now: number, lockWaitMs: number): Restored => {
  const path = join(dataDir, LAKE_FILE);
  const stands = existsSync(path);
  const wasCutOff = !stands && existsSync(restoredName(path));
  const before = wasCutOff ? lastSetAside(dataDir) : undefined;
  if (before !== undefined) moveJournals(path, before);
  const callsCarried = prepareCopy(path, from, stands ? path : before, lockWaitMs);
  const setAside = before ?? nextSetAside(dataDir, now);
  if (stands) renameSync(path, setAside);
  moveJournals(path, setAside);
  renameSync(restoredName(path), path);
  return { from, setAside: stands ? setAside : (before ?? null), callsCarried };
};

/** Explains errors of files and the disk; returns other errors unchanged. */
const explain = (error: unknown, path: string): unknown => {
  if (error instanceof Error && 'syscall' in error)
    return new LakeError(
      `${path} could not be restored: ${fullDiskOf(error) ?? error.message}. No data is lost. Check that trendlake can write there and that the disk has room for a copy, then run \`${commandText('doctor --restore')}\` again.`,
      { cause: error },
    );
  return lakeErrorOf(error, path) ?? error;
};

/** Reason why a file cannot be restored; undefined if it can. */
const backupFault = (path: string): string | undefined => {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return 'there is no such file';
  if (!file.isFile()) return 'it is not a regular file';
  return faultOf(path);
};

/**
 * Puts a backup in the lake's place, after checking it. What stood there is kept beside it, and the
 * calls it counted since are counted on where it can still be read. One that was cut off is done
 * again: the lake it had set aside is the one whose calls are counted on.
 * @param file undefined: the newest backup
 * @param lockWaitMs how long another program may hold the lake's lock
 * @throws UsageError when there is no such backup or it is not whole; nothing is changed then.
 * LakeError when the disk is full or another program holds the lake's lock
 */
export const restoreLake = (
  dataDir: string,
  file: string | undefined,
  clock: Clock,
  lockWaitMs = LOCK_WAIT_MS,
): Promise<Restored> =>
  withExclusive(dataDir, 'sync', clock, async () => {
    const from = file ?? backupsIn(dataDir).at(-1)?.path;
    if (from === undefined)
      throw new UsageError(
        `There is no backup in ${join(dataDir, BACKUPS)}. Pass a file: \`${commandText('doctor --restore FILE')}\`.`,
      );
    const fault = backupFault(from);
    if (fault !== undefined)
      throw new UsageError(`${from} cannot be restored: ${fault}. Nothing was changed.`);
    try {
      return whileAlone(dataDir, MIGRATION, WAIT_MS, () =>
        exchange(dataDir, from, clock.now(), lockWaitMs),
      );
    } catch (error) {
      throw explain(error, join(dataDir, LAKE_FILE));
    }
  });
