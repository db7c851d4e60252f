import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PARQUET_CODECS, type ParquetCodec } from '../../base/config/parquet-codecs.ts';
import { LakeError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { ChangedFolders, type Disk, growFile } from './install-file.ts';

/** Raised when equal rows give other bytes. The next export then writes all files. */
const FORMAT = 5;
const MANIFEST = 'manifest.json';

/** An exported file in the manifest. */
export interface ManifestFile {
  path: string; // within the folder of the manifest, with `/`
  table: string;
  date: string | null; // YYYY-MM-DD in UTC; null for tables of one file
  rows: number; // 0: the one file of a table without rows
  bytes: number;
  sha256: string; // 64 hexadecimal digits
  schemaVersion: number;
}

/** Manifest of an export. */
export interface Manifest {
  format: typeof FORMAT;
  schemaVersion: number;
  codec: ParquetCodec; // compression of all pages
  lakeId?: string; // absent before 0.2.0
  restoreMark?: string; // of the lake at the time; absent if it was never restored
  exportedAt: string; // ISO 8601; the last export that changed a file
  files: ManifestFile[];
}

/** Facts about the files of a manifest of this version or an earlier one. */
export interface ManifestTotals extends Omit<Manifest, 'format' | 'codec'> {
  format: number; // 1: version 0.1.0; before 5: files in other forms
  codec: ParquetCodec | null; // null: unknown before format 2
}

const isWhole = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least;

const isCodec = (value: unknown): value is ParquetCodec =>
  PARQUET_CODECS.some((codec) => codec === value);

// by hand, because three threads read it and loading zod would take longer than the rest of their start
const fileOf = (value: unknown): ManifestFile | undefined => {
  if (!isObject(value)) return undefined;
  const { path, table, date, rows, bytes, sha256, schemaVersion } = value;
  const isNamed =
    typeof path === 'string' &&
    typeof table === 'string' &&
    (date === null || typeof date === 'string') &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256);
  if (!isNamed || !isWhole(rows, 0) || !isWhole(bytes, 1) || !isWhole(schemaVersion, 0))
    return undefined;
  return { path, table, date, rows, bytes, sha256, schemaVersion };
};

const totalsIn = (value: unknown): ManifestTotals | undefined => {
  if (!isObject(value)) return undefined;
  const { format, schemaVersion, exportedAt, files, lakeId, restoreMark } = value;
  const codec = format === 1 ? null : value.codec;
  if (!isWhole(format, 1) || format > FORMAT || !isWhole(schemaVersion, 0)) return undefined;
  if ((codec !== null && !isCodec(codec)) || typeof exportedAt !== 'string') return undefined;
  if (!Array.isArray(files)) return undefined;
  const read = files.map(fileOf).filter((file) => file !== undefined);
  if (read.length < files.length) return undefined;
  return {
    format,
    schemaVersion,
    codec,
    ...(typeof lakeId === 'string' ? { lakeId } : {}),
    ...(typeof restoreMark === 'string' ? { restoreMark } : {}),
    exportedAt,
    files: read,
  };
};

/**
 * Manifest of a Parquet folder, of any version; undefined if it is missing, damaged or of a later format.
 */
export const manifestTotals = (folder: string): ManifestTotals | undefined => {
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    return totalsIn(JSON.parse(text));
  } catch {
    return undefined;
  }
};

/** True if the next export keeps unchanged files. Otherwise it writes all. */
export const isCurrent = (manifest: ManifestTotals, schemaVersion: number): manifest is Manifest =>
  manifest.format === FORMAT && manifest.codec !== null && manifest.schemaVersion === schemaVersion;

/** The manifest of a Parquet folder; undefined if the next export must write all files. */
export const readManifest = (folder: string, schemaVersion: number): Manifest | undefined => {
  const manifest = manifestTotals(folder);
  return manifest !== undefined && isCurrent(manifest, schemaVersion) ? manifest : undefined;
};

/** Identity of the exporting lake. */
export interface ExportedLake {
  readonly lakeId: string;
  /** '' if it was never restored. */
  readonly restoreMark: string;
}

/** True if the files are of this lake since its last restore. */
export const showsLake = (manifest: ManifestTotals, lake: ExportedLake): boolean =>
  (manifest.lakeId ?? lake.lakeId) === lake.lakeId &&
  (manifest.restoreMark ?? '') === lake.restoreMark;

/**
 * Refuses the folder of another lake.
 * @throws LakeError if its manifest names another lake
 */
export const refuseFolderOfOther = (folder: string, { lakeId }: ExportedLake): void => {
  const other = manifestTotals(folder)?.lakeId;
  if (other === undefined || other === lakeId) return;
  throw new LakeError(
    `${folder} holds the Parquet files of another lake (${other}; this one is ${lakeId}). Nothing was written. Move that folder away, or choose the data directory of its lake with --data-dir.`,
  );
};

/** Writes the manifest. Call it when all its files are in place. */
export const writeManifest = async (
  folder: string,
  content: Omit<Manifest, 'format'>,
  disk: Disk,
): Promise<void> => {
  const files = [...content.files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const text = `${JSON.stringify({ format: FORMAT, ...content, files }, null, 1)}\n`;
  const folders = new ChangedFolders();
  const grown = await growFile(join(folder, MANIFEST), (write) => write(Buffer.from(text)), {
    disk,
    folders,
  });
  try {
    await grown.keep();
  } finally {
    grown.drop();
  }
  await folders.flush();
};

/** True if a file of the manifest is on disk with its size. */
export const stands = (folder: string, file: ManifestFile): boolean => {
  const found = statSync(join(folder, file.path), { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === file.bytes;
};
