import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PARQUET_CODECS } from '../config/parquet-codecs.ts';
import { ChangedFolders, type Disk, growFile } from './install-file.ts';

/** Raised when files of the same rows would look different: then the next export is a full one. */
const FORMAT = 2;
const MANIFEST = 'manifest.json';

const manifestFile = z.object({
  path: z.string(), // within the folder of the manifest, with `/`
  table: z.string(),
  date: z.string().nullable(), // YYYY-MM-DD in UTC; null for tables of one file
  rows: z.int().min(0), // 0: the one file of a table without rows
  bytes: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  schemaVersion: z.int(),
});
const manifest = z.object({
  format: z.literal(FORMAT),
  schemaVersion: z.int(),
  codec: z.enum(PARQUET_CODECS), // how the pages of every file are compressed
  exportedAt: z.string(), // ISO 8601; the last export that changed a file
  files: z.array(manifestFile),
});

export type ManifestFile = z.infer<typeof manifestFile>;
export type Manifest = z.infer<typeof manifest>;

/**
 * The manifest of a Parquet folder, or undefined when there is none that can be trusted: missing,
 * damaged, of another format or another schema version. Everything is written anew then.
 */
export const readManifest = (folder: string, schemaVersion: number): Manifest | undefined => {
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const read = manifest.parse(JSON.parse(text));
    return read.schemaVersion === schemaVersion ? read : undefined;
  } catch {
    return undefined;
  }
};

/** Puts the manifest in place, whole. Call it when every file it names stands. */
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

/** Whether a file the manifest names is on disk with the size it names. */
export const stands = (folder: string, file: ManifestFile): boolean => {
  const found = statSync(join(folder, file.path), { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === file.bytes;
};
