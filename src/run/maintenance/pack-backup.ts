import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUPS } from '../../base/data-dir/backups.ts';
import { makeOwnFile } from '../../base/data-dir/own-files.ts';
import { DAY_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import { openDatabase } from '../../lake/database.ts';
import { SERVICE_FILE } from '../../lake/former-lake.ts';
import { lakeIdOf } from '../../lake/meta.ts';
import { type Lake, WAIT_MS } from '../../lake/open.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import {
  type BackupOptions,
  copyLake,
  copyPages,
  dropUnfinished,
  openReading,
  whileBackingUp,
} from './backup.ts';
import {
  type BackupFiles,
  FOLDER_OF_BACKUPS,
  manifestKey,
  type PackedBackup,
  packedBackups,
  removePacked,
  uploadBackup,
} from './packed-backup.ts';

const DAILY = 7;
const WEEKLY = 4;
const MONTHLY = 12;

/**
 * Backups to keep: the newest of each of the last 7 days, 4 weeks and 12 months that have one.
 * @param madeAt Unix ms
 */
export const keptBackups = (madeAt: readonly number[]): Set<number> => {
  const newestFirst = madeAt.toSorted((a, b) => b - a);
  const kept = new Set<number>();
  const keep = (most: number, spanOf: (at: number) => string | number): void => {
    const spans = Map.groupBy(newestFirst, spanOf);
    for (const [newest] of [...spans.values()].slice(0, most))
      if (newest !== undefined) kept.add(newest);
  };
  keep(DAILY, (at) => Math.floor(at / DAY_MS));
  keep(WEEKLY, (at) => Math.floor((at / DAY_MS + 3) / 7)); // weeks begin on Monday
  keep(MONTHLY, (at) => isoOf(at).slice(0, 7));
  return kept;
};

/** Removes backups of a lake that `keptBackups` does not name. */
const thin = async (store: TableStore, lakeId: string): Promise<number> => {
  const all = (await packedBackups(store)).filter((backup) => backup.lakeId === lakeId);
  const kept = keptBackups(all.map(({ madeAt }) => Date.parse(madeAt)));
  const old = all.filter(({ madeAt }) => !kept.has(Date.parse(madeAt)));
  for (const { name } of old) await removePacked(store, name);
  return old.length;
};

/** Removes what killed backups left in a store a day ago or earlier: others may still be uploading. */
const removeRemains = async (store: TableStore, now: number): Promise<void> => {
  const before = now - DAY_MS;
  const complete = new Set<string>();
  const parts: { name: string; key: string }[] = [];
  for await (const { key, modifiedAt } of store.list(`${FOLDER_OF_BACKUPS}/trendlake-`)) {
    const name = key.split('/')[1] ?? '';
    if (key === manifestKey(name)) complete.add(name);
    else if (modifiedAt < before) parts.push({ name, key });
  }
  const remains = parts.filter(({ name }) => !complete.has(name)).map(({ key }) => key);
  if (remains.length > 0) await store.remove(remains);
  await store.tidy(`${FOLDER_OF_BACKUPS}/`, before);
};

const SERVICE_COPY = 'service.db.packing';

/**
 * Copies lake and service.db as of one instant: service.db takes no commits from before the lake's read
 * transaction begins until its own has begun. @returns the paths of the copies
 */
const copyPair = async (
  lake: Lake,
  options: BackupOptions,
): Promise<Pick<BackupFiles, 'lake' | 'service'>> => {
  using readings = new DisposableStack();
  const from = join(lake.dataDir, SERVICE_FILE);
  const openBoth = () => {
    using gate = existsSync(from)
      ? openDatabase(from, { fileMustExist: true, timeout: WAIT_MS })
      : undefined;
    gate?.exec('begin immediate');
    const ofLake = readings.use(openReading(lake.path));
    return { ofLake, ofService: gate && readings.use(openReading(from)) };
  };
  const { ofLake, ofService } = openBoth();
  const { path } = await copyLake(lake, ofLake, options);
  if (ofService === undefined) return { lake: path, service: undefined };
  const service = join(lake.dataDir, BACKUPS, SERVICE_COPY);
  makeOwnFile(service);
  await copyPages(ofService, service, options.signal);
  return { lake: path, service };
};

/** A packed backup as it was just made. */
interface MadeBackup extends PackedBackup {
  readonly url: string;
  /** Older backups that were removed. */
  readonly removed: number;
}

/**
 * Copies the lake (`copyLake`) and service.db at one instant, uploads both compressed and checked, and
 * thins older backups of the store. Killed before the end, the next run starts again and removes what
 * is left.
 * @throws as `backupLake`; TablesError if the store refuses
 */
export const packBackup = (
  lake: Lake,
  store: TableStore,
  options: BackupOptions & { readonly signal: AbortSignal },
): Promise<MadeBackup> =>
  whileBackingUp(lake, options.clock, async () => {
    const { clock, signal } = options;
    const madeAt = isoOf(clock.now());
    try {
      const files = await copyPair(lake, options);
      const name = `trendlake-${madeAt.replace(/[:.]/g, '-')}`;
      const lakeId = lakeIdOf(lake);
      const uploaded = await uploadBackup(store, { name, madeAt, lakeId, ...files }, signal);
      const removed = await thin(store, lakeId);
      await removeRemains(store, clock.now());
      return { ...uploaded, url: store.url, removed };
    } finally {
      dropUnfinished(lake.dataDir);
    }
  });
