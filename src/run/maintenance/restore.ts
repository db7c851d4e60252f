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
import { openDatabase } from '../../lake/database.ts';
import { carryErased } from '../../lake/erased.ts';
import { whileAlone, withExclusive } from '../../lake/exclusive.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import { markRestored } from '../../lake/meta.ts';
import { migrate } from '../../lake/migrate.ts';
import { LAKE_FILE, MIGRATION, openLake, WAIT_MS } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { faultOf, removeDatabase } from './backup.ts';
import { finishErasures } from './forget.ts';

export interface Restored {
  from: string;
  /** New path of the former lake; null if there was none. */
  setAside: string | null;
  /** Calls made since the backup, copied into it; null if the former lake cannot be read. */
  callsCarried: number | null;
}

const SET_ASIDE = /\.before-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)$/;

const lastSetAside = (dataDir: string): string | undefined =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith(LAKE_FILE) && SET_ASIDE.test(name))
    .sort()
    .map((name) => join(dataDir, name))
    .at(-1);

/** Path for setting a lake aside. Always later than earlier ones, even after the clock was set back. */
const nextSetAside = (dataDir: string, now: number): string => {
  const last = lastSetAside(dataDir)?.replace(SET_ASIDE, ' $1:$2:$3.$4').split(' ').at(-1);
  const at = last === undefined ? now : Math.max(now, Date.parse(last) + 1);
  return join(dataDir, `${LAKE_FILE}.before-${isoOf(at).replace(/[:.]/g, '-')}`);
};

/** Moves the journals of a lake, which hold its last commits while a process has it open. */
const moveJournals = (from: string, to: string): void => {
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix);
};

/** Copies a database, including commits in its journal. */
export const copyDatabase = (from: string, to: string): void => {
  const journal = statSync(`${from}-wal`, { throwIfNoEntry: false });
  if (journal === undefined || journal.size === 0) {
    copyFileSync(from, to);
    return;
  }
  using sqlite = openDatabase(from, { readonly: true });
  sqlite.prepare('vacuum into ?').run(to);
};

const LOCK_WAIT_MS = 10_000; // as in openLake

/** Temporary errors. Ignoring one would lose the count of calls. */
const TEMPORARY = /^SQLITE_(FULL|BUSY|LOCKED)/;

/** Columns of `calls` in both lakes: either may have an older schema. */
const SHARED_COLUMNS = `
  select group_concat('"' || m.name || '"', ', ') from pragma_table_info('calls', 'main') m
  join pragma_table_info('calls', 'old') o on o.name = m.name`;

/** Copies calls made since the backup, so that the month counts them. Returns their number. */
const carryCalls = (sqlite: Database.Database): number => {
  const columns = prepare(sqlite, SHARED_COLUMNS, 'text?').get();
  const { changes } = sqlite
    .prepare(
      `insert into main.calls (${columns}) select ${columns} from old.calls
       where id > (select coalesce(max(id), 0) from main.calls)`,
    )
    .run();
  // the backup lacks their runs: a new run with such an id would count these calls as its own
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

/** Copies newer calls from `old`. Returns their number; null if `old` is too damaged to read. */
const carryLedger = (path: string, old: string, lockWaitMs: number): number | null => {
  using sqlite = openDatabase(path, { timeout: lockWaitMs });
  try {
    sqlite.prepare('attach ? as old').run(old);
    carryErased(sqlite);
    return sqlite.transaction(carryCalls)(sqlite);
  } catch (error) {
    if (error instanceof Database.SqliteError && TEMPORARY.test(error.code)) throw error;
    return null;
  }
};

const readObjects = (sqlite: Database.Database): { name: string; sql: string }[] =>
  prepare(
    sqlite,
    `select type || ' ' || name as name, sql from sqlite_schema where type in ('trigger', 'view')`,
    { name: 'text', sql: 'text' },
  ).all();

const expectedSql = (): Set<string> => {
  using sqlite = openDatabase(':memory:');
  migrate(sqlite, ':memory:');
  return new Set(readObjects(sqlite).map(({ sql }) => sql));
};

/** Finds a trigger or view that trendlake did not create: a trigger would run with every write. */
const foreignObject = (sqlite: Database.Database): string | undefined => {
  const expected = expectedSql();
  return readObjects(sqlite).find(({ sql }) => !expected.has(sql))?.name;
};

/** Migrates a copy of a backup and marks it as restored. */
const bringUpToDate = (path: string, from: string): void => {
  using sqlite = openDatabase(path);
  migrate(sqlite, path, { isCopy: true });
  const foreign = foreignObject(sqlite);
  if (foreign !== undefined)
    throw new UsageError(
      `${from} cannot be restored: its ${foreign} was not made by trendlake. Nothing was changed.`,
    );
  markRestored(sqlite); // earlier Parquet files no longer match this lake
};

export const syncToDisk = (path: string): void => {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** Copies a backup, with newer calls of `old`, to `restoredName`. That file blocks new empty lakes. */
const prepareCopy = (
  path: string,
  from: string,
  old: string | undefined,
  lockWaitMs: number,
): number | null => {
  const growing = `${path}.new-${randomBytes(6).toString('hex')}`;
  try {
    copyDatabase(from, growing);
    chmodSync(growing, OWN_FILE); // a copy inherits the mode of its source
    bringUpToDate(growing, from); // before carryLedger, which needs the current columns
    const callsCarried = old === undefined ? null : carryLedger(growing, old, lockWaitMs);
    syncToDisk(growing);
    renameSync(growing, restoredName(path));
    return callsCarried;
  } finally {
    removeDatabase(growing);
  }
};

/**
 * Replaces the lake of a data directory by a copy of `from`. Moves the lake before its journals: a lake
 * without its journals would be opened without its last commits. If an earlier restore was
 * interrupted in between, moves the journals to the lake it had set aside first.
 */
const exchange = (dataDir: string, from: string, now: number, lockWaitMs: number): Restored => {
  const path = join(dataDir, LAKE_FILE);
  const exists = existsSync(path);
  const wasInterrupted = !exists && existsSync(restoredName(path));
  const before = wasInterrupted ? lastSetAside(dataDir) : undefined;
  if (before !== undefined) moveJournals(path, before);
  const callsCarried = prepareCopy(path, from, exists ? path : before, lockWaitMs);
  const setAside = before ?? nextSetAside(dataDir, now);
  if (exists) renameSync(path, setAside);
  moveJournals(path, setAside);
  renameSync(restoredName(path), path);
  return { from, setAside: exists ? setAside : (before ?? null), callsCarried };
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

const backupFault = async (path: string): Promise<string | undefined> => {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return 'the file does not exist';
  if (!file.isFile()) return 'it is not a regular file';
  return faultOf(path);
};

/** Erases what the backup still holds of subjects that were erased since. */
const eraseAgain = async (dataDir: string, clock: Clock): Promise<void> => {
  using lake = openLake(dataDir);
  await finishErasures(lake, { clock });
};

/**
 * Checks a backup and restores it. Keeps the former lake beside it and carries its newer calls over. Can
 * be repeated after an interruption.
 * @param file undefined: the newest backup
 * @throws UsageError when the backup is missing or damaged, before any change; LakeError when the disk
 * is full or another program holds the lake's lock
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
        `No backup found in ${join(dataDir, BACKUPS)}. Name a file: \`${commandText('doctor --restore FILE')}\`.`,
      );
    const fault = await backupFault(from);
    if (fault !== undefined)
      throw new UsageError(`${from} cannot be restored: ${fault}. Nothing was changed.`);
    try {
      const restored = whileAlone(dataDir, MIGRATION, WAIT_MS, () =>
        exchange(dataDir, from, clock.now(), lockWaitMs),
      );
      await eraseAgain(dataDir, clock);
      return restored;
    } catch (error) {
      throw explain(error, join(dataDir, LAKE_FILE));
    }
  });
