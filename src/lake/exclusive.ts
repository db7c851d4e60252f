import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from '../base/clock.ts';
import { makeOwnFile, OWN_FOLDER } from '../base/data-dir/own-files.ts';
import { SECOND_MS } from '../base/durations.ts';
import { LakeError } from '../base/errors.ts';
import { isoOf } from '../base/iso.ts';
import { prepare } from './prepare.ts';

/** Holder of a lock, such as `process 12 on host`, with its start (Unix ms). */
export interface Holder {
  readonly holder: string;
  readonly since: number;
}

const open = (dataDir: string, name: string, waitMs = 0): Database.Database => {
  const folder = join(dataDir, 'locks');
  mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
  const path = join(folder, `${name}.lock`);
  makeOwnFile(path);
  const lock = new Database(path, { timeout: waitMs });
  lock.pragma('synchronous = OFF'); // holds nothing that must survive
  return lock;
};

/** True if another connection holds the lock. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Takes the lock and writes its holder, for those who find it taken. */
const take = (lock: Database.Database, holder: Holder): void => {
  lock.exec('begin immediate');
  lock.exec('create table if not exists holder (holder text not null, since integer not null)');
  lock.exec('delete from holder');
  lock.prepare('insert into holder (holder, since) values (?, ?)').run(holder.holder, holder.since);
  lock.exec('commit');
  lock.exec('begin immediate');
};

const holderIn = (lock: Database.Database): Holder | undefined => {
  try {
    return prepare(lock, 'select holder, since from holder', {
      holder: 'text',
      since: 'number',
    }).get();
  } catch {
    return undefined; // it is just being written
  }
};

/** @throws LakeError (transient) with a message if another connection has the lock */
const orBusy = (begin: () => void, message: () => string): void => {
  try {
    begin();
  } catch (error) {
    if (!isBusy(error)) throw error;
    const advice = 'One at a time: try again when it is done.';
    throw new LakeError(`${message()} ${advice}`, { cause: error, transient: true });
  }
};

const me = (clock: Clock): Holder => ({
  holder: `process ${process.pid} on ${hostname()}`,
  since: clock.now(),
});

/**
 * Runs `work` while no other process, thread or call runs work of the same name on the same data
 * directory. The lock is the operating system's on a file in `<data dir>/locks`, held through
 * SQLite: it ends with its process however that ends, and needs neither renewal nor a clock. Never
 * waits.
 * @throws LakeError (transient) at once if it is taken, with its holder and since when
 */
export const withExclusive = async <T>(
  dataDir: string,
  name: string,
  clock: Clock,
  work: () => Promise<T>,
): Promise<T> => {
  const lock = open(dataDir, name);
  try {
    orBusy(
      () => take(lock, me(clock)),
      () => {
        const row = holderIn(lock);
        const holder = row === undefined ? '' : ` (${row.holder}, since ${isoOf(row.since)})`;
        return `Another ${name} is at work in ${dataDir}${holder}.`;
      },
    );
    return await work();
  } finally {
    lock.close();
  }
};

/**
 * Runs `work`, which awaits nothing, under a lock of the same kind. Waits up to `waitMs` for it.
 * @throws LakeError (transient) if it is still taken then
 */
export const whileAlone = <T>(dataDir: string, name: string, waitMs: number, work: () => T): T => {
  const lock = open(dataDir, name, waitMs);
  try {
    orBusy(
      () => lock.exec('begin immediate'),
      () => `Another ${name} has been at work in ${dataDir} for more than ${waitMs / 1000} s.`,
    );
    return work();
  } finally {
    lock.close();
  }
};

/** A running process, with its last sign of life (Unix ms). One that hangs gives none. */
export interface Living extends Holder {
  readonly signAt: number;
  /** True for a process of this machine or container. */
  readonly isHere: boolean;
}

const SIGN_MS = 15 * SECOND_MS;

/** Gives signs of life until `over`: the modification time of the lock's file. */
const giveSigns = async (path: string, wall: Clock, over: AbortSignal): Promise<void> => {
  while (!over.aborted) {
    try {
      utimesSync(path, wall.now() / 1000, wall.now() / 1000);
    } catch {} // the last sign stays
    await wall.sleep(SIGN_MS, over).catch(() => {}); // over
  }
};

/** Longest wait of a starting process for others that test whether it is alive. */
const CHECKED_MS = 1000;

/**
 * Runs `work` while `living` reports a `name` at work in this data directory. Several may run at
 * once. The sign is a file lock of the operating system, so it ends with the process. Without a
 * lock the work is done all the same.
 * @param word distinguishes this process from others, such as a random word
 * @param wall times a sign of life every 15 s; undefined: none is given
 */
export const whileLiving = async <T>(
  dataDir: string,
  { name, word, clock, wall }: { name: string; word: string; clock: Clock; wall?: Clock },
  work: () => Promise<T>,
): Promise<T> => {
  let lock: Database.Database | undefined;
  try {
    lock = open(dataDir, `${name}-${word}`, CHECKED_MS);
    take(lock, me(clock));
    if (!existsSync(lock.name)) {
      lock.close(); // another process removed it as a dead one's before it was held
      lock = open(dataDir, `${name}-${word}`, CHECKED_MS);
      take(lock, me(clock));
    }
  } catch {
    lock?.close(); // a full disk is reported by later writes
  }
  livingWords(dataDir, name); // removes what killed processes left
  const over = new AbortController();
  try {
    if (lock?.open === true && wall !== undefined) void giveSigns(lock.name, wall, over.signal);
    return await work();
  } finally {
    over.abort();
    if (lock?.open === true) {
      lock.close();
      rmSync(lock.name, { force: true });
    }
  }
};

/** The process that holds a lock file; undefined if none does, and then the file is removed. */
const holderAlive = (path: string): Holder | undefined => {
  let lock: Database.Database | undefined;
  try {
    lock = new Database(path, { fileMustExist: true, timeout: 0 });
    lock.exec('begin immediate');
    rmSync(path, { force: true }); // nobody held it: its process died
    return undefined;
  } catch (error) {
    return lock !== undefined && isBusy(error) ? holderIn(lock) : undefined; // or it ended just now
  } finally {
    lock?.close();
  }
};

/** Running processes called `name` by their words. Removes the lock files of those that died. */
const livingByWord = (dataDir: string, name: string): Map<string, Living> => {
  const found = new Map<string, Living>();
  const folder = join(dataDir, 'locks');
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const word = new RegExp(`^${name}-(\\w+)\\.lock$`).exec(file)?.[1];
    if (word === undefined) continue;
    const holder = holderAlive(join(folder, file));
    const signAt = statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs;
    if (holder === undefined || signAt === undefined) continue;
    found.set(word, { ...holder, signAt, isHere: holder.holder.endsWith(` on ${hostname()}`) });
  }
  return found;
};

/** Running processes called `name` in this data directory, oldest first. */
export const living = (dataDir: string, name: string): Living[] =>
  [...livingByWord(dataDir, name).values()].sort((a, b) => a.since - b.since);

/** Words of the running processes called `name`. */
export const livingWords = (dataDir: string, name: string): ReadonlySet<string> =>
  new Set(livingByWord(dataDir, name).keys());
