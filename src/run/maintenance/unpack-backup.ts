import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { makeOwnFile } from '../../base/data-dir/own-files.ts';
import { LakeError, UsageError } from '../../base/errors.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import {
  type BackupPart,
  LAKE_PART,
  manifestKey,
  manifestShape,
  packedBackups,
  partKey,
  SERVICE_PART,
} from './backup-format.ts';

export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
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
  const unpack = async (partName: BackupPart['name'], to: string): Promise<string | undefined> => {
    const listed = parts.find((each) => each.name === partName);
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
