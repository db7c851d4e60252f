import { dateOf } from '../../base/iso.ts';
import type { Txn } from './delta-actions.ts';
import type { DeltaLog } from './delta-log.ts';
import type { TableStore } from './table-store.ts';

/** Dependencies of `keepUp`. */
export interface UpkeepDeps {
  readonly store: TableStore;
  readonly log: DeltaLog;
  readonly lake: string;
  /** Paths of the next commit, which are kept. */
  readonly wanted: ReadonlyMap<string, unknown>;
  /** Unix milliseconds. */
  readonly now: number;
  /** Time that removed files, and files without a commit, are kept. */
  readonly keptMs: number;
}

/** `YYYYMM` as a number. */
const monthOf = (at: number): number => Number(dateOf(at).slice(0, 7).replace('-', ''));

/** Deletes files that commits removed between the last deletion and `until`. */
const removeTakenOut = async (
  { store, log, wanted }: UpkeepDeps,
  since: number,
  until: number,
): Promise<void> => {
  const old = [...log.removed.values()].filter(({ path, deletionTimestamp: at }) => {
    const due = at !== null && at !== undefined && at >= since && at < until;
    return due && !wanted.has(path);
  });
  await store.remove(old.map(({ path }) => `${log.table}/${path}`));
};

/** Deletes files that no commit names: a publish was killed, or the log forgot them. */
const removeStrays = async (deps: UpkeepDeps, until: number): Promise<void> => {
  const { store, log, lake, wanted } = deps;
  const folder = `${log.table}/`;
  const strays: string[] = [];
  for await (const { key, modifiedAt } of store.list(`${folder}lake=${lake}/`)) {
    const path = key.slice(folder.length);
    const named = log.files.has(path) || log.removed.has(path) || wanted.has(path);
    if (!named && modifiedAt < until) strays.push(key);
  }
  await store.remove(strays);
  await store.tidy(`${folder}lake=${lake}/`, until);
};

/**
 * Deletes old files of one lake: with every commit those removed more than a week ago, and once a month
 * those without a commit. The table stores the progress as transactions of separate applications. A
 * killed run repeats its work.
 * @returns the transactions for the next commit
 */
export const keepUp = async (deps: UpkeepDeps): Promise<Txn[]> => {
  const { log, lake, now, keptMs } = deps;
  const until = Math.floor(now - keptMs);
  const removedApp = `trendlake:${lake}:removed`;
  const sweptApp = `trendlake:${lake}:swept`;
  const removedUntil = log.txns.get(removedApp)?.version ?? 0;
  const sweptIn = log.txns.get(sweptApp)?.version;
  const done: Txn[] = [];
  await removeTakenOut(deps, removedUntil, until);
  if (until > removedUntil) done.push({ appId: removedApp, version: until });
  if (sweptIn !== undefined && sweptIn < monthOf(now)) await removeStrays(deps, until);
  if (sweptIn === undefined || sweptIn < monthOf(now))
    done.push({ appId: sweptApp, version: monthOf(now) });
  return done;
};
