import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { readParquet } from 'parquet-wasm';
import { afterAll, describe, expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { PARQUET_CODECS, type ParquetCodec } from '../../../src/base/config/parquet-codecs.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import type { ManifestFile } from '../../../src/output/parquet/manifest.ts';
import { PARQUET_TABLES } from '../../../src/output/parquet/parquet-tables.ts';
import { filledLake, GREATEST, NOON_AT, sqliteRows, TITLES } from './filled-lake.ts';

const NAMES = PARQUET_TABLES.map(({ name }) => name);

interface Exported {
  folder: string;
  files: ManifestFile[];
  rows: Map<string, unknown[][]>;
}

const cleaning: (() => void)[] = [];
const byCodec = new Map<ParquetCodec, Promise<Exported>>();
/** One lake, exported with one of the codecs. */
const exported = (codec: ParquetCodec): Promise<Exported> => {
  const once = byCodec.get(codec) ?? exportOnce(codec);
  byCodec.set(codec, once);
  return once;
};
afterAll(() => {
  for (const clean of cleaning.reverse()) clean();
});

const exportOnce = async (codec: ParquetCodec): Promise<Exported> => {
  const lake = filledLake((clean) => cleaning.push(clean));
  const { folder } = await exportLake(lake, { clock: virtualClock(NOON_AT), codec });
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return { folder, files, rows: new Map(NAMES.map((name) => [name, sqliteRows(lake, name)])) };
};

const duckdb = async (sql: string): Promise<DuckDBValue[][]> => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return (await connection.runAndReadAll(sql)).getRows();
};

const columnsOf = (name: string) =>
  PARQUET_TABLES.find((table) => table.name === name)?.columns ?? [];

/** A value as any reader may give it, as SQLite gives it. */
const plain = (value: unknown): unknown => {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'bigint') return Number(value);
  return value ?? null;
};

describe.each(PARQUET_CODECS)(
  '%s: what was exported reads back as it was, whoever reads it',
  (codec) => {
    test('DuckDB: all rows of all tables', async () => {
      const { folder, rows } = await exported(codec);
      for (const name of NAMES) {
        const list = columnsOf(name).map((c) =>
          c.type === 'TIMESTAMP_MILLIS' ? `epoch_ms("${c.name}")` : `"${c.name}"`,
        );
        const read = await duckdb(
          `select ${list.join(', ')} from read_parquet('${folder}/${name}/**/*.parquet', file_row_number = true) order by filename, file_row_number`,
        );
        expect(read.map((row) => row.map(plain))).toEqual(rows.get(name));
      }
    });

    test('hyparquet: all rows of all tables', async () => {
      const { folder, files, rows } = await exported(codec);
      const read = new Map<string, unknown[][]>(NAMES.map((name) => [name, []]));
      for (const { path, table } of files) {
        const bytes = readFileSync(join(folder, path));
        const objects = await parquetReadObjects({
          file: new Uint8Array(bytes).buffer,
          compressors,
        });
        for (const object of objects)
          read.get(table)?.push(columnsOf(table).map((c) => plain(object[c.name])));
      }
      for (const name of NAMES) expect(read.get(name)).toEqual(rows.get(name));
    });

    test('arrow: all rows of all tables', async () => {
      const { folder, files, rows } = await exported(codec);
      const read = new Map<string, unknown[][]>(NAMES.map((name) => [name, []]));
      for (const { path, table } of files) {
        const arrow = tableFromIPC(readParquet(readFileSync(join(folder, path))).intoIPCStream());
        for (const row of arrow)
          read.get(table)?.push(columnsOf(table).map((c) => plain(row?.[c.name])));
      }
      for (const name of NAMES) expect(read.get(name)).toEqual(rows.get(name));
    });
  },
);

describe('questions with a predicate', () => {
  test('DuckDB finds every title by equality and by order', async () => {
    const { folder } = await exported('zstd');
    const from = `from '${folder}/videos/videos.parquet'`;
    const known = TITLES.filter((title) => title !== null);
    for (const title of known.filter((title) => !title.includes('\u0000'))) {
      const literal = `'${title.replaceAll("'", "''")}'`;
      const count = async (comparison: string) =>
        Number(
          (await duckdb(`select count(*) ${from} where title ${comparison} ${literal}`))[0]?.[0],
        );
      const equal = known.filter((other) => other === title).length;
      expect(await count('=')).toBe(equal);
      expect((await count('>=')) + (await count('<='))).toBe(known.length + equal);
    }
  });

  test('DuckDB finds numbers and times at their bounds, and the partition by its date', async () => {
    const { folder } = await exported('zstd');
    const snapshots = `from read_parquet('${folder}/video_snapshots/**/*.parquet', hive_partitioning = true)`;
    const count = async (where: string) =>
      Number((await duckdb(`select count(*) ${snapshots} where ${where}`))[0]?.[0]);
    expect(await count(`views = ${GREATEST}`)).toBe(3);
    expect(await count(`views > ${GREATEST}`)).toBe(0);
    expect(await count('views is null')).toBe(3);
    expect(await count('engagement_rate = 0.1::double + 0.2::double')).toBe(27);
    expect(await count(`observed_at = timestamptz '2026-03-01T12:00:00.123Z'`)).toBe(1);
    expect(await count(`date = '2026-03-02'`)).toBe(10);
  });
});

test('types, nullability and order of columns are those of the schema', async () => {
  const { folder, files } = await exported('zstd');
  for (const { path, table } of files) {
    const metadata = parquetMetadata(new Uint8Array(readFileSync(join(folder, path))).buffer);
    expect(
      metadata.schema.slice(1).map((c) => ({
        name: c.name,
        type: c.converted_type ?? c.type,
        optional: c.repetition_type === 'OPTIONAL',
      })),
    ).toEqual(columnsOf(table));
  }
  const snapshots = columnsOf('video_snapshots');
  expect(snapshots.map(({ name, type, optional }) => `${name} ${type} ${optional}`)).toEqual([
    'video_id UTF8 false',
    'observed_at TIMESTAMP_MILLIS false',
    'views INT64 true',
    'likes INT64 true',
    'engagement_rate DOUBLE true',
    'source UTF8 true',
    'extra UTF8 true',
  ]);
});

test('times are instants in UTC, text is text: by logical and by converted type', async () => {
  const { folder, files } = await exported('zstd');
  for (const { path, table } of files) {
    const metadata = parquetMetadata(new Uint8Array(readFileSync(join(folder, path))).buffer);
    for (const element of metadata.schema.slice(1)) {
      const type = columnsOf(table).find(({ name }) => name === element.name)?.type;
      expect(element.logical_type).toEqual(
        type === 'TIMESTAMP_MILLIS'
          ? { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' }
          : type === 'UTF8'
            ? { type: 'STRING' }
            : undefined,
      );
    }
  }
  const [[type] = []] = await duckdb(
    `select typeof(observed_at) from '${folder}/video_snapshots/**/*.parquet' limit 1`,
  );
  expect(type).toBe('TIMESTAMP WITH TIME ZONE');
});

test('bounds of text are in the order of bytes, cut short at a character, and say so', async () => {
  const { folder } = await exported('zstd');
  const bytes = readFileSync(join(folder, 'videos/videos.parquet'));
  const [group] = parquetMetadata(new Uint8Array(bytes).buffer).row_groups;
  const at = columnsOf('videos').findIndex(({ name }) => name === 'title');
  const statistics = group?.columns[at]?.meta_data?.statistics;
  // of UTF-16 units, U+FFFF would come after an emoji
  expect(statistics).toMatchObject({
    min_value: '',
    is_min_value_exact: true,
    max_value: '😀 first',
    is_max_value_exact: true,
    null_count: 1n,
  });
});

test('a table without rows has a file that shows its columns to every reader', async () => {
  const lake = filledLake((clean) => cleaning.push(clean));
  lake.sqlite.exec('delete from events');
  const { folder } = await exportLake(lake, { clock: virtualClock(NOON_AT) });
  const from = `from read_parquet('${folder}/events/*/*.parquet', hive_partitioning = true)`;
  const shown = await duckdb(`select column_name from (describe select * ${from})`);
  expect(shown.map(([name]) => name)).toEqual([
    ...columnsOf('events').map(({ name }) => name),
    'date',
  ]);
  expect(await duckdb(`select * ${from}`)).toEqual([]);
  const bytes = readFileSync(join(folder, 'events/date=1970-01-01/events.parquet'));
  expect(await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })).toEqual([]);
  const arrow = tableFromIPC(readParquet(bytes).intoIPCStream());
  expect(arrow.schema.fields.map(({ name }) => name)).toEqual(
    columnsOf('events').map(({ name }) => name),
  );
});

test('the manifest counts what DuckDB counts, table by table', async () => {
  const { folder, files, rows } = await exported('zstd');
  for (const name of NAMES) {
    const [[count] = []] = await duckdb(`select count(*) from '${folder}/${name}/**/*.parquet'`);
    const listed = files.filter(({ table }) => table === name);
    expect(listed.reduce((sum, file) => sum + file.rows, 0)).toBe(Number(count));
    expect(Number(count)).toBe(rows.get(name)?.length);
  }
});
