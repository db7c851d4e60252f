import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import Database from 'better-sqlite3';
import { BACKUPS } from '../../base/data-dir/backups.ts';
import { makeOwnFile } from '../../base/data-dir/own-files.ts';
import { DAY_MS } from '../../base/durations.ts';
import { LakeError } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
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
  type BackupPart,
  FOLDER_OF_BACKUPS,
  keptBackups,
  LAKE_PART,
  manifestKey,
  type PackedBackup,
  packedBackups,
  partKey,
  SERVICE_PART,
} from './backup-format.ts';
import { sha256Of } from './unpack-backup.ts';

/** Compresses a file, uploads it and checks the size of the object. */
const upload = async (
  store: TableStore,
  { path, key, signal }: { path: string; key: string; signal: AbortSignal },
): Promise<Omit<BackupPart, 'name'>> => {
  const packed = `${path}.zst`;
  try {
    makeOwnFile(packed);
    await pipeline(createReadStream(path), createZstdCompress(), createWriteStream(packed), {
      signal,
    });
    const bytes = statSync(packed).size;
    const sha256 = await sha256Of(packed);
    const handle = await open(packed, 'r');
    try {
      await store.copyIn(key, { handle, path: packed, bytes });
    } finally {
      await handle.close();
    }
    const stored = await store.sizeOf(key);
    if (stored !== bytes)
      throw new LakeError(
        `${store.url}/${key} has ${stored ?? 0} bytes instead of ${bytes} after the upload. The backup is not complete: run it again.`,
        { transient: true },
      );
    return { bytes, sha256 };
  } finally {
    rmSync(packed, { force: true });
  }
};

/** Files of one backup, as they are uploaded. */
interface BackupFiles {
  readonly name: string;
  readonly madeAt: string; // ISO 8601
  readonly lakeId: string;
  /** Path of the lake's copy. */
  readonly lake: string;
  readonly service: string | undefined;
}

/** Uploads the files of a backup, compressed and checked, and at last its manifest. */
export const uploadBackup = async (
  store: TableStore,
  { name, madeAt, lakeId, lake, service }: BackupFiles,
  signal: AbortSignal,
): Promise<PackedBackup> => {
  const parts: BackupPart[] = [];
  for (const [path, partName] of [
    [lake, LAKE_PART],
    [service, SERVICE_PART],
  ] as const) {
    if (path === undefined) continue;
    const key = partKey(name, partName);
    parts.push({ name: partName, ...(await upload(store, { path, key, signal })) });
  }
  const manifest = { madeAt, lakeId, parts };
  await store.replace(manifestKey(name), Buffer.from(`${JSON.stringify(manifest)}\n`));
  return { name, madeAt, lakeId, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
};

/** Removes a backup of a store. The manifest goes first, so that no part is missing from a listed one. */
export const removePacked = async (store: TableStore, name: string): Promise<void> => {
  await store.remove([manifestKey(name)]);
  await store.remove([partKey(name, LAKE_PART), partKey(name, SERVICE_PART)]);
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

interface Readings {
  readonly lake: Database.Database;
  /** Undefined without a service.db. */
  readonly service: Database.Database | undefined;
}

/**
 * Read transactions of the lake and of service.db that see one instant: service.db takes no commits
 * from before the lake's transaction begins until its own has begun.
 */
const openPair = ({ path, dataDir }: Lake): Readings => {
  const servicePath = join(dataDir, SERVICE_FILE);
  if (!existsSync(servicePath)) return { lake: openReading(path), service: undefined };
  const gate = new Database(servicePath, { fileMustExist: true, timeout: WAIT_MS });
  try {
    gate.exec('begin immediate');
    const lake = openReading(path);
    try {
      return { lake, service: openReading(servicePath) };
    } catch (error) {
      lake.close();
      throw error;
    }
  } finally {
    gate.close();
  }
};

/** Copies lake and service.db as of one instant. @returns the paths of the copies */
const copyPair = async (
  lake: Lake,
  options: BackupOptions,
): Promise<Pick<BackupFiles, 'lake' | 'service'>> => {
  const readings = openPair(lake);
  try {
    const { path } = await copyLake(lake, readings.lake, options);
    if (readings.service === undefined) return { lake: path, service: undefined };
    const service = join(lake.dataDir, BACKUPS, SERVICE_COPY);
    makeOwnFile(service);
    await copyPages(readings.service, service, options.signal);
    return { lake: path, service };
  } finally {
    readings.lake.close();
    readings.service?.close();
  }
};

/** A packed backup as it was just made. */
export interface MadeBackup extends PackedBackup {
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
