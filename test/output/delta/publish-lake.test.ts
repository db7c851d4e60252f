import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Lake } from '../../../src/lake/open.ts';
import { DATED_TABLES } from '../../../src/output/delta/exported-tables.ts';
import { PARQUET_TABLES } from '../../../src/output/parquet/parquet-tables.ts';
import { freshFolder } from '../../support/fresh.ts';
import { exportedLake, sqliteRows } from '../parquet/filled-lake.ts';
import { queryTable, readDeltaLog } from './delta-reader.ts';
import { changeFirstDay, exportAndPublish, filesBelow, publish } from './publishing.ts';

interface Stats {
  numRecords: number;
  minValues: Record<string, unknown>;
  maxValues: Record<string, unknown>;
  nullCount: Record<string, number>;
}

describe('a published lake', () => {
  let lake: Lake;
  const folder = freshFolder();
  beforeAll(async () => {
    const cleans: (() => void)[] = [];
    lake = await exportedLake((clean) => void cleans.push(clean));
    await publish(lake, folder, 'berlin');
    return () => cleans.toReversed().forEach((clean) => void clean());
  });

  test.each(PARQUET_TABLES.map(({ name }) => name))('has the rows of %s', async (name) => {
    const table = await readDeltaLog(join(folder, name));
    const expected = sqliteRows(lake, name);
    const [[rows] = []] = await queryTable(table, "select count(*) from t where lake = 'berlin'");
    expect(Number(rows)).toBe(expected.length);
    const dated = PARQUET_TABLES.find((one) => one.name === name)?.dateColumn;
    expect(table.partitionColumns).toEqual(['lake']);
    if (dated === undefined) return;
    const [[wrong] = []] = await queryTable(
      table,
      `select count(*) from t where date <> ("${dated}" at time zone 'UTC')::date`,
    );
    expect(Number(wrong)).toBe(0);
  });

  test('has its sums and its first and last instants', async () => {
    const sql = (epoch: (column: string) => string): string =>
      `select count(*), sum(views), ${epoch('min(observed_at)')}, ${epoch('max(observed_at)')} from `;
    const table = await readDeltaLog(join(folder, 'video_snapshots'));
    const there = await queryTable(table, `${sql((of) => `epoch_ms(${of})`)} t`);
    const here = lake.sqlite
      .prepare(`${sql((of) => of)} video_snapshots`)
      .safeIntegers()
      .raw()
      .all();
    expect(there.map((row) => row.map(String))).toEqual(
      (here as bigint[][]).map((row) => row.map(String)),
    );
  });

  test('names its types so that times are instants', async () => {
    const { schema } = await readDeltaLog(join(folder, 'video_snapshots'));
    expect(Object.fromEntries(schema.map(({ name, type }) => [name, type]))).toMatchObject({
      video_id: 'string',
      observed_at: 'timestamp',
      views: 'long',
      engagement_rate: 'double',
      lake: 'string',
      date: 'date',
    });
  });

  test('names a file of a table without days by its hash', async () => {
    const { files } = await readDeltaLog(join(folder, 'videos'));
    const exported = readFileSync(join(lake.dataDir, 'parquet/videos/videos.parquet'));
    const sha256 = createHash('sha256').update(exported).digest('hex');
    expect([...files.keys()]).toEqual([`lake=berlin/${sha256}.parquet`]);
    expect(readFileSync(join(folder, 'videos', [...files.keys()][0] ?? '')).equals(exported)).toBe(
      true,
    );
  });

  test.each(DATED_TABLES)('shows each value of %s as the export has it', async (name) => {
    const table = await readDeltaLog(join(folder, name));
    const exported = join(lake.dataDir, 'parquet', name, '*', '*.parquet');
    const there = await queryTable(table, 'select * exclude (lake) from t order by all');
    const here = await queryTable(
      table,
      `select * from read_parquet('${exported}', hive_types = {date: date}) order by all`,
    );
    expect(there.length).toBeGreaterThan(0);
    expect(there).toEqual(here);
  });

  test('has bounds of text that hold in the order of bytes', async () => {
    const { files } = await readDeltaLog(join(folder, 'videos'));
    const [file] = files.values();
    const { minValues, maxValues } = JSON.parse(file?.stats ?? '') as Stats;
    for (const column of ['id', 'title', 'user', 'extra']) {
      const texts = lake.sqlite.prepare(`select ${column} from videos where ${column} is not null`);
      const bytes = (texts.pluck().all() as string[]).map((text) => Buffer.from(text));
      const bounds = [minValues[column], maxValues[column]];
      const [least, greatest] = bounds.map((bound) => Buffer.from(String(bound)));
      for (const text of bytes) {
        if (bounds[0] !== undefined) expect(Buffer.compare(least ?? text, text)).not.toBe(1);
        if (bounds[1] !== undefined) expect(Buffer.compare(text, greatest ?? text)).not.toBe(1);
      }
    }
    expect(minValues).toMatchObject({ id: 'tt_0', title: '' });
    expect(maxValues).toMatchObject({ id: 'tt_9' });
  });

  test('has statistics by which engines skip files', async () => {
    const { files } = await readDeltaLog(join(folder, 'video_snapshots'));
    const days = [...files.values()].map(({ stats }) => JSON.parse(stats ?? '') as Stats);
    expect(days.map(({ numRecords }) => numRecords)).toEqual([10, 10, 10]);
    expect(days[0]?.minValues.observed_at).toBe('2026-03-01T12:00:00.123Z');
    expect([days[1]?.minValues.date, days[1]?.maxValues.date]).toEqual([
      '2026-03-02',
      '2026-03-02',
    ]);
    expect(days[0]?.maxValues).toMatchObject({
      observed_at: '2026-03-01T12:00:00.132Z',
      views: Number.MAX_SAFE_INTEGER,
    });
    expect(days[0]?.nullCount.views).toBe(1);
  });
});

test('the tables known to have days are those of the export', () => {
  const dated = PARQUET_TABLES.filter(({ dateColumn }) => dateColumn !== undefined);
  expect([...DATED_TABLES].sort()).toEqual(dated.map(({ name }) => name).sort());
});

describe('publishing', () => {
  test('a second time writes nothing', async () => {
    const lake = await exportedLake();
    const folder = freshFolder();
    await publish(lake, folder, 'berlin');
    const before = filesBelow(folder);
    const again = await exportAndPublish(lake, folder, 'berlin');
    expect(again).toMatchObject({ files: 0, rows: 0, removed: 0 });
    expect(filesBelow(folder)).toEqual(before);
  });

  test('after a change of one day replaces its file alone', async () => {
    const lake = await exportedLake();
    const folder = freshFolder();
    await publish(lake, folder, 'berlin');
    changeFirstDay(lake, 1);
    const changed = await exportAndPublish(lake, folder, 'berlin');
    expect(changed).toMatchObject({ files: 1, rows: 11, removed: 1 });
    const table = await readDeltaLog(join(folder, 'video_snapshots'));
    expect(table.version).toBe(1);
    expect(await queryTable(table, 'select count(*)::int from t')).toEqual([[31]]);
  });
});

test('lakes that publish into the same tables at once are all there', async () => {
  const folder = freshFolder();
  const names = ['berlin', 'oslo', 'porto', 'turin'];
  await Promise.all(names.map(async (name) => publish(await exportedLake(), folder, name)));
  const table = await readDeltaLog(join(folder, 'rankings'));
  expect(table.version).toBe(names.length - 1);
  expect(
    await queryTable(table, 'select lake, count(*)::int from t group by 1 order by 1'),
  ).toEqual(names.map((name) => [name, 2]));
});
