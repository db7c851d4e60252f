import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { TablesError } from './errors.ts';
import type { LocalFile } from './local-file.ts';
import type { ExportedTable } from './publish-table.ts';

/**
 * Tables with one file a UTC day, known before they have a row. Named here, as the schema they come
 * from takes a second and 170 MB to load.
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

const manifest = z.object({
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
 * The tables of a lake's last export, as its manifest lists them.
 * @throws TablesError when nothing was exported yet, or the manifest cannot be read
 */
export const exportedTables = (dataDir: string): ExportedTable[] => {
  const folder = join(dataDir, 'parquet');
  const path = join(folder, 'manifest.json');
  let files: z.infer<typeof manifest>['files'];
  try {
    files = manifest.parse(JSON.parse(readFileSync(path, 'utf8'))).files;
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
  for (const { path: within, table, date, rows, bytes, sha256 } of files)
    byTable.set(table, [
      ...(byTable.get(table) ?? []),
      { path: join(folder, within), bytes, sha256, rows, date },
    ]);
  return [...byTable].map(([name, of]) => ({
    name,
    files: of,
    dated: DATED_TABLES.includes(name) || of.some(({ date }) => date !== null),
  }));
};
