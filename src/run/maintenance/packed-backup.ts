import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { makeOwnFile } from '../../base/data-dir/own-files.ts';
import { LakeError, UsageError } from '../../base/errors.ts';
import type { TableStore } from '../../output/delta/table-store.ts';

// A packed backup is a folder of a store: the lake and service.db, compressed, and at last `backup.json`,
// which lists both with their hashes. A folder without it is unfinished.

export const FOLDER_OF_BACKUPS = 'backups';
const MANIFEST = 'backup.json';
const LAKE_PART = 'lake.db.zst';
const SERVICE_PART = 'service.db.zst';

const part = z.object({
  name: z.enum([LAKE_PART, SERVICE_PART]),
  /** Compressed. */
  bytes: z.number(),
  sha256: z.string(),
});
const manifestShape = z.object({
  madeAt: z.string(),
  lakeId: z.string(),
  parts: z.array(part),
});
type BackupPart = z.infer<typeof part>;

type Manifest = z.infer<typeof manifestShape>;

/** A packed backup in a store. */
export interface PackedBackup {
  /** Such as `trendlake-2026-03-01T05-15-00-000Z`. */
  readonly name: string;
  readonly madeAt: string; // ISO 8601
  readonly lakeId: string;
  /** Compressed size. */
  readonly bytes: number;
}

const keyIn = (name: string, file: string): string => `${FOLDER_OF_BACKUPS}/${name}/${file}`;
export const manifestKey = (name: string): string => keyIn(name, MANIFEST);
const partKey = (name: string, part: BackupPart['name']): string => keyIn(name, part);
const NAME = /^trendlake-[\dTZ-]+$/;

const readManifest = (bytes: Buffer): Manifest | undefined => {
  try {
    return manifestShape.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
};

/** Manifests of complete backups by name, oldest first. Unreadable ones are left out. */
const manifestsIn = async (store: TableStore): Promise<[name: string, Manifest][]> => {
  const found: [string, Manifest][] = [];
  for await (const { key } of store.list(`${FOLDER_OF_BACKUPS}/trendlake-`)) {
    if (!key.endsWith(`/${MANIFEST}`)) continue;
    const name = key.split('/')[1] ?? '';
    const bytes = await store.read(key);
    const manifest = bytes && readManifest(bytes);
    if (manifest !== undefined && NAME.test(name)) found.push([name, manifest]);
  }
  return found.sort(([, a], [, b]) => a.madeAt.localeCompare(b.madeAt));
};

const packedOf = (name: string, { madeAt, lakeId, parts }: Manifest): PackedBackup => ({
  name,
  madeAt,
  lakeId,
  bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** Complete backups of a store, oldest first. */
export const packedBackups = async (store: TableStore): Promise<PackedBackup[]> =>
  (await manifestsIn(store)).map(([name, manifest]) => packedOf(name, manifest));

export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

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
export interface BackupFiles {
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
  return packedOf(name, manifest);
};

/** Removes a backup of a store. The manifest goes first, so that no part is missing from a listed one. */
export const removePacked = async (store: TableStore, name: string): Promise<void> => {
  await store.remove([manifestKey(name)]);
  await store.remove([partKey(name, LAKE_PART), partKey(name, SERVICE_PART)]);
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
  const all = await manifestsIn(store);
  const [newest] = all.at(-1) ?? [];
  const chosen = name ?? newest;
  const [, manifest] = all.find(([each]) => each === chosen) ?? [];
  if (chosen === undefined || manifest === undefined)
    throw new UsageError(
      `${store.url} has no complete backup${name === undefined ? '' : ` "${name}"`}.${newest === undefined ? '' : ` The newest is ${newest}.`}`,
    );
  const unpack = async (partName: BackupPart['name'], to: string): Promise<string | undefined> => {
    const listed = manifest.parts.find((each) => each.name === partName);
    if (listed === undefined) return undefined;
    const path = join(folder, to);
    const packed = `${path}.zst`;
    try {
      for (const each of [path, packed]) {
        rmSync(each, { force: true });
        makeOwnFile(each);
      }
      const chunks = chunksOf(store, partKey(chosen, partName), listed.bytes);
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
