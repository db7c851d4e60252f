import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { lakeIdOf } from '../../../src/lake/meta.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { fileColumns, statisticsOf } from '../../../src/output/delta/file-columns.ts';
import { readDeltaLog } from './delta-reader.ts';

interface ListedFile {
  path: string;
  table: string;
  date: string | null;
  rows: number;
  bytes: number;
  sha256: string;
}

const arrayBufferOf = ({ buffer, byteOffset, length }: Buffer): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;

/**
 * Turns a published table with days into what versions before 0.2.0 made of it: partitioned by `lake`
 * and `date`, with the exported files as they are. One commit names the files of all lakes.
 */
export const makeDatePartitioned = async (
  folder: string,
  table: string,
  lakes: Readonly<Record<string, Lake>>,
): Promise<void> => {
  const { schema } = await readDeltaLog(join(folder, table));
  rmSync(join(folder, table), { recursive: true });
  const adds = Object.entries(lakes).flatMap(([lake, { dataDir }]) => {
    const parquet = join(dataDir, 'parquet');
    const { files } = JSON.parse(readFileSync(join(parquet, 'manifest.json'), 'utf8')) as {
      files: ListedFile[];
    };
    return files
      .filter((file) => file.table === table && file.rows > 0)
      .map(({ path, date, bytes, sha256 }) => {
        const within = `lake=${lake}/date=${date}/${sha256}.parquet`;
        mkdirSync(dirname(join(folder, table, within)), { recursive: true });
        cpSync(join(parquet, path), join(folder, table, within));
        const footer = parquetMetadata(arrayBufferOf(readFileSync(join(parquet, path))));
        const stats = statisticsOf(footer, fileColumns(path, footer));
        const place = { path: within, partitionValues: { lake, date }, size: bytes };
        return { add: { ...place, modificationTime: 1, dataChange: true, stats } };
      });
  });
  const ids = Object.entries(lakes).map(([name, lake]) => [
    `trendlake.lake.${name}`,
    lakeIdOf(lake),
  ]);
  const metaData = {
    id: 'a',
    name: table,
    format: { provider: 'parquet', options: {} },
    createdTime: 1,
    schemaString: JSON.stringify({
      type: 'struct',
      fields: schema.map(({ name, type }) => ({ name, type, nullable: true, metadata: {} })),
    }),
    partitionColumns: ['lake', 'date'],
    configuration: { 'trendlake.table': table, ...Object.fromEntries(ids) },
  };
  const protocol = { minReaderVersion: 1, minWriterVersion: 2 };
  const txns = Object.keys(lakes).map((lake) => ({
    txn: { appId: `trendlake:${lake}`, version: 0 },
  }));
  mkdirSync(join(folder, table, '_delta_log'), { recursive: true });
  writeFileSync(
    join(folder, table, '_delta_log', `${'0'.repeat(20)}.json`),
    [{ protocol }, { metaData }, ...txns, ...adds]
      .map((action) => JSON.stringify(action))
      .join('\n'),
  );
};
