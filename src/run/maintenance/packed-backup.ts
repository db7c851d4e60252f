import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { BACKUPS } from '../../base/data-dir/backups.ts';
import { makeOwnFile } from '../../base/data-dir/own-files.ts';
import { DAY_MS } from '../../base/durations.ts';
import { LakeError, UsageError } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
import { SERVICE_FILE } from '../../lake/former-lake.ts';
import { lakeIdOf } from '../../lake/meta.ts';
import type { Lake } from '../../lake/open.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import { type BackupOptions, backupLake } from './backup.ts';

// A packed backup is a folder of a store: the lake and service.db, compressed, and at last `backup.json`,
// which lists both with their hashes. A folder without it is unfinished.

const FOLDER = 'backups';
const MANIFEST = 'backup.json';
const LAKE_PART = 'lake.db.zst';
const SERVICE_PART = 'service.db.zst';

const part = z.object({
  name: z.enum([LAKE_PART, SERVICE_PART]),
  /** Compressed. */
  bytes: z.number(),
  sha256: z.string(),
});
const manifestShape = z.object({ madeAt: z.string(), lakeId: z.string(), parts: z.array(part) });
type Part = z.infer<typeof part>;

/** A packed backup in a store. */
export interface PackedBackup {
  /** Such as `trendlake-2026-03-01T05-15-00-000Z`. */
  readonly name: string;
  readonly madeAt: string; // ISO 8601
  readonly lakeId: string;
  /** Compressed size. */
  readonly bytes: number;
}

const manifestKey = (name: string): string => `${FOLDER}/${name}/${MANIFEST}`;
const NAME = /^trendlake-[\dTZ-]+$/;

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

/** Compresses a file, uploads it and checks the size of the object. */
const upload = async (
  store: TableStore,
  { path, key, signal }: { path: string; key: string; signal: AbortSignal },
): Promise<Omit<Part, 'name'>> => {
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

/** Copies service.db consistently. @returns the path of the copy; undefined without a service.db */
const copyService = async (dataDir: string): Promise<string | undefined> => {
  const path = join(dataDir, SERVICE_FILE);
  if (!existsSync(path)) return undefined;
  const copy = join(dataDir, BACKUPS, 'service.db.packing');
  rmSync(copy, { force: true });
  makeOwnFile(copy);
  const sqlite = new Database(path, { readonly: true, fileMustExist: true });
  try {
    await sqlite.backup(copy);
  } finally {
    sqlite.close();
  }
  return copy;
};

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
    const spans = new Set<string | number>();
    for (const at of newestFirst) {
      const span = spanOf(at);
      if (spans.has(span)) continue;
      if (spans.size === most) return;
      spans.add(span);
      kept.add(at);
    }
  };
  keep(DAILY, (at) => Math.floor(at / DAY_MS));
  keep(WEEKLY, (at) => Math.floor((at / DAY_MS + 3) / 7)); // weeks begin on Monday
  keep(MONTHLY, (at) => isoOf(at).slice(0, 7));
  return kept;
};

const readManifest = (bytes: Buffer): z.infer<typeof manifestShape> | undefined => {
  try {
    return manifestShape.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
};

/** Complete backups of a store, oldest first. Unreadable manifests are left out. */
export const packedBackups = async (store: TableStore): Promise<PackedBackup[]> => {
  const found: PackedBackup[] = [];
  for await (const { key } of store.list(`${FOLDER}/trendlake-`)) {
    if (!key.endsWith(`/${MANIFEST}`)) continue;
    const name = key.split('/')[1] ?? '';
    const bytes = await store.read(key);
    const manifest = bytes && readManifest(bytes);
    if (manifest === undefined || !NAME.test(name)) continue;
    const { madeAt, lakeId, parts } = manifest;
    const size = parts.reduce((sum, { bytes: each }) => sum + each, 0);
    found.push({ name, madeAt, lakeId, bytes: size });
  }
  return found.sort((a, b) => a.madeAt.localeCompare(b.madeAt));
};

/** Removes backups of a lake that `keptBackups` does not name. The manifest goes first. */
const thin = async (store: TableStore, lakeId: string): Promise<number> => {
  const all = (await packedBackups(store)).filter((backup) => backup.lakeId === lakeId);
  const kept = keptBackups(all.map(({ madeAt }) => Date.parse(madeAt)));
  const old = all.filter(({ madeAt }) => !kept.has(Date.parse(madeAt)));
  for (const { name } of old) {
    await store.remove([manifestKey(name)]);
    const parts = [LAKE_PART, SERVICE_PART].map((key) => `${FOLDER}/${name}/${key}`);
    await store.remove(parts);
  }
  return old.length;
};

/** A packed backup as it was just made. */
export interface MadeBackup extends PackedBackup {
  readonly url: string;
  /** Older backups that were removed. */
  readonly removed: number;
}

/**
 * Copies the lake (`backupLake`), then uploads it with service.db, compressed and checked, and thins
 * older backups of the store. Killed before the end, the next run starts again.
 * @throws as `backupLake`; TablesError if the store refuses
 */
export const packBackup = async (
  lake: Lake,
  store: TableStore,
  options: BackupOptions & { readonly signal: AbortSignal },
): Promise<MadeBackup> => {
  const { clock, signal } = options;
  const copy = await backupLake(lake, options);
  const madeAt = isoOf(clock.now());
  const name = `trendlake-${madeAt.replace(/[:.]/g, '-')}`;
  const service = await copyService(lake.dataDir);
  try {
    const parts: Part[] = [];
    for (const [path, partName] of [
      [copy.path, LAKE_PART],
      [service, SERVICE_PART],
    ] as const) {
      if (path === undefined) continue;
      const key = `${FOLDER}/${name}/${partName}`;
      parts.push({ name: partName, ...(await upload(store, { path, key, signal })) });
    }
    const lakeId = lakeIdOf(lake);
    const manifest = { madeAt, lakeId, parts };
    await store.replace(manifestKey(name), Buffer.from(`${JSON.stringify(manifest)}\n`));
    const bytes = parts.reduce((sum, { bytes: size }) => sum + size, 0);
    const removed = await thin(store, lakeId);
    return { name, madeAt, lakeId, bytes, url: store.url, removed };
  } finally {
    if (service !== undefined)
      for (const suffix of ['', '-wal', '-shm', '-journal'])
        rmSync(service + suffix, { force: true });
  }
};

/** Files of an unpacked backup, in `<data dir>/backups`. */
export interface UnpackedBackup {
  readonly lake: string;
  /** Undefined if the backup has no service.db. */
  readonly service: string | undefined;
}

const CHUNK_BYTES = 8 * 1024 * 1024; // a store sends at most 32 MiB at once

/** Ends early where the object is missing or too short. */
async function* chunksOf(store: TableStore, key: string, bytes: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes; from += CHUNK_BYTES) {
    const chunk = await store.read(key, { from, bytes: Math.min(CHUNK_BYTES, bytes - from) });
    if (chunk === undefined || chunk.length === 0) return;
    yield chunk;
  }
}

/**
 * Downloads and unpacks a backup, checking each part against its hash.
 * @param name undefined: the newest
 * @throws UsageError if there is no such backup; LakeError if a part is missing or damaged
 */
export const unpackBackup = async (
  store: TableStore,
  name: string | undefined,
  folder: string,
): Promise<UnpackedBackup> => {
  const all = await packedBackups(store);
  const chosen = name ?? all.at(-1)?.name;
  if (chosen === undefined || !all.some((backup) => backup.name === chosen))
    throw new UsageError(
      `${store.url} has no complete backup${name === undefined ? '' : ` "${name}"`}.${all.length === 0 ? '' : ` The newest is ${all.at(-1)?.name ?? ''}.`}`,
    );
  const bytes = await store.read(manifestKey(chosen));
  const { parts } = manifestShape.parse(JSON.parse(bytes?.toString('utf8') ?? 'null'));
  const unpack = async (partName: Part['name'], to: string): Promise<string | undefined> => {
    const listed = parts.find((each) => each.name === partName);
    if (listed === undefined) return undefined;
    const path = join(folder, to);
    const packed = `${path}.zst`;
    try {
      for (const each of [path, packed]) {
        rmSync(each, { force: true });
        makeOwnFile(each);
      }
      const chunks = chunksOf(store, `${FOLDER}/${chosen}/${partName}`, listed.bytes);
      await pipeline(chunks, createWriteStream(packed));
      if ((await sha256Of(packed)) !== listed.sha256)
        throw new LakeError(
          `${partName} of backup ${chosen} is ${statSync(packed).size === 0 ? 'missing' : 'damaged'}. Nothing was changed. Restore another backup.`,
        );
      await pipeline(createReadStream(packed), createZstdDecompress(), createWriteStream(path));
    } finally {
      rmSync(packed, { force: true });
    }
    return path;
  };
  const lake = await unpack(LAKE_PART, `${chosen}.db`);
  if (lake === undefined) throw new LakeError(`Backup ${chosen} has no lake. Nothing was changed.`);
  return { lake, service: await unpack(SERVICE_PART, `${chosen}.service.db`) };
};
