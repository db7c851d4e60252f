import { z } from 'zod';
import { DAY_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import type { TableStore } from '../../output/delta/table-store.ts';

// A packed backup is a folder of a store: the lake and service.db, compressed, and at last `backup.json`,
// which lists both with their hashes. A folder without it is unfinished.

export const FOLDER_OF_BACKUPS = 'backups';
const MANIFEST = 'backup.json';
export const LAKE_PART = 'lake.db.zst';
export const SERVICE_PART = 'service.db.zst';

const part = z.object({
  name: z.enum([LAKE_PART, SERVICE_PART]),
  /** Compressed. */
  bytes: z.number(),
  sha256: z.string(),
});
export const manifestShape = z.object({
  madeAt: z.string(),
  lakeId: z.string(),
  parts: z.array(part),
});
export type BackupPart = z.infer<typeof part>;

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
export const partKey = (name: string, part: BackupPart['name']): string => keyIn(name, part);
const NAME = /^trendlake-[\dTZ-]+$/;

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
  for await (const { key } of store.list(`${FOLDER_OF_BACKUPS}/trendlake-`)) {
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
