import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PARQUET_CODECS, type ParquetCodec } from '../../base/config/parquet-codecs.ts';
import { messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { TablesError } from './errors.ts';
import { type LocalFile, sourceOf } from './local-file.ts';
import { daysFiles, type PublishedFile, wholeFile } from './published-file.ts';

/**
 * Tables with one file per UTC day. Listed here because loading the schema takes a second and 170 MB.
 */
export const DATED_TABLES: readonly string[] = [
  'video_snapshots',
  'rankings',
  'hashtag_snapshots',
  'creator_snapshots',
  'events',
  'forecasts',
  'hashtag_forecasts',
];

/** An exported table of the manifest. */
export interface ExportedTable {
  readonly name: string;
  /** True with one file per UTC day. */
  readonly dated: boolean;
  readonly files: readonly LocalFile[];
  /** Compression of the pages of its files. */
  readonly codec: ParquetCodec;
}

const manifest = z.object({
  codec: z.enum(PARQUET_CODECS).default('zstd'),
  files: z.array(
    z.object({
      path: z.string(),
      table: z.string().regex(/^\w+$/), // becomes part of an address
      date: z.iso.date().nullable(),
      rows: z.int(),
      bytes: z.int(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/**
 * Published files of an exported table. Those of a table with days have the column `date`, and one file
 * for each month that `isMerged`.
 */
export const publishedFiles = (
  lake: string,
  { dated, files }: ExportedTable,
  isMerged: Parameters<typeof daysFiles>[2],
): PublishedFile[] => {
  const sources = files.filter(({ rows }) => rows > 0).map(sourceOf);
  return dated
    ? daysFiles(lake, sources, isMerged)
    : sources.map((source) => wholeFile(lake, source));
};

/**
 * The tables of a lake's last export, as its manifest lists them.
 * @throws TablesError if nothing was exported yet, or the manifest cannot be read
 */
export const exportedTables = (dataDir: string): ExportedTable[] => {
  const folder = join(dataDir, 'parquet');
  const path = join(folder, 'manifest.json');
  let read: z.infer<typeof manifest>;
  try {
    read = manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new TablesError(
        `There is nothing to publish yet: ${path} is missing. Run \`${commandText('export')}\` first.`,
      );
    throw new TablesError(
      `${path} cannot be read: ${messageOf(error)}. \`${commandText('export --full')}\` writes it again.`,
      { cause: error },
    );
  }
  const byTable = new Map<string, LocalFile[]>();
  for (const { path: within, table, date, rows, bytes, sha256 } of read.files)
    byTable.set(table, [
      ...(byTable.get(table) ?? []),
      { path: join(folder, within), bytes, sha256, rows, date },
    ]);
  return [...byTable].map(([name, of]) => ({
    name,
    files: of,
    codec: read.codec,
    dated: DATED_TABLES.includes(name) || of.some(({ date }) => date !== null),
  }));
};
