import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, virtualClock } from '../../../src/base/clock.ts';
import { checkPublished } from '../../../src/output/delta/check-published.ts';
import { FileStore } from '../../../src/output/delta/file-store.ts';
import { isSettled } from '../../../src/output/delta/published-file.ts';
import { freshFolder } from '../../support/fresh.ts';
import { exportedLake } from '../parquet/filled-lake.ts';
import { queryTable, readDeltaLog } from './delta-reader.ts';
import { changeFirstDay, exportAndPublish, publish } from './publishing.ts';

const IN_MARCH_AT = Date.UTC(2026, 2, 28);
const IN_APRIL_AT = Date.UTC(2026, 3, 8);
const at = (instant: number): { clock: Clock } => ({ clock: virtualClock(instant) });

const shownPaths = async (folder: string): Promise<string[]> =>
  [...(await readDeltaLog(join(folder, 'video_snapshots'))).files.keys()].sort();
const daysOf = async (folder: string) =>
  queryTable(
    await readDeltaLog(join(folder, 'video_snapshots')),
    "select strftime(date, '%d'), count(*)::int, sum(views)::varchar from t group by 1 order by 1",
  );
/** File actions of the newest commit. */
const lastChanges = (folder: string): { path: string; dataChange: boolean }[] => {
  const log = join(folder, 'video_snapshots', '_delta_log');
  const newest =
    readdirSync(log)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .at(-1) ?? '';
  return readFileSync(join(log, newest), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .flatMap(({ add, remove }) => add ?? remove ?? []);
};

test.each([
  ['2026-03', '2026-04-07T23:59:59Z', false],
  ['2026-03', '2026-04-08T00:00:00Z', true],
  ['2025-12', '2026-01-07T23:59:59Z', false],
  ['2025-12', '2026-01-08T00:00:00Z', true],
])('%s at %s is settled: %s', (month, now, expected) => {
  expect(isSettled(month, Date.parse(now))).toBe(expected);
});

test('a week after its end a month becomes one file, in a commit that changes no row', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  await publish(lake, folder, 'berlin', at(IN_MARCH_AT));
  const days = await daysOf(folder);
  expect((await shownPaths(folder)).map((path) => path.slice(0, 23))).toEqual([
    'lake=berlin/2026-03-01-',
    'lake=berlin/2026-03-02-',
    'lake=berlin/2026-03-03-',
  ]);
  expect(await publish(lake, folder, 'berlin', at(IN_APRIL_AT))).toMatchObject({ rows: 30 });
  expect(await shownPaths(folder)).toEqual([
    expect.stringMatching(/^lake=berlin\/2026-03-[0-9a-f]{64}\.parquet$/),
  ]);
  expect(lastChanges(folder).map(({ dataChange }) => dataChange)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(await daysOf(folder)).toEqual(days);
  expect(await publish(lake, folder, 'berlin', at(IN_APRIL_AT))).toMatchObject({ files: 0 });
});

test('a day of a settled month that changes gets its month a new file', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  await publish(lake, folder, 'berlin', at(IN_APRIL_AT));
  const before = await shownPaths(folder);
  expect(before).toHaveLength(1);
  changeFirstDay(lake, 1);
  const changed = await exportAndPublish(lake, folder, 'berlin', at(IN_APRIL_AT));
  expect(changed).toMatchObject({ files: 1, rows: 31, removed: 1 });
  expect(lastChanges(folder).map(({ dataChange }) => dataChange)).toEqual([true, true]);
  expect(await shownPaths(folder)).not.toEqual(before);
  expect((await daysOf(folder)).map(([day, rows]) => [day, rows])).toEqual([
    ['01', 11],
    ['02', 10],
    ['03', 10],
  ]);
});

test('a month that changes and settles at once is a change', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  await publish(lake, folder, 'berlin', at(IN_MARCH_AT));
  changeFirstDay(lake, 1);
  await exportAndPublish(lake, folder, 'berlin', at(IN_APRIL_AT));
  expect(await shownPaths(folder)).toHaveLength(1);
  expect(lastChanges(folder).every(({ dataChange }) => dataChange)).toBe(true);
});

test('doctor finds a month right as days and as one file', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  for (const instant of [IN_MARCH_AT, IN_APRIL_AT]) {
    await publish(lake, folder, 'berlin', at(instant));
    const { problems } = await checkPublished(lake.dataDir, new FileStore(folder), 'berlin');
    expect(problems).toEqual([]);
  }
});

test('nothing built for a publish is left in the folder of the lake', async () => {
  const lake = await exportedLake();
  const before = readdirSync(lake.dataDir);
  await publish(lake, freshFolder(), 'berlin', at(IN_APRIL_AT));
  expect(readdirSync(lake.dataDir).filter((name) => !before.includes(name))).toEqual([]);
});

test('a month whose file was cut short in the store is brought in and named again', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  await publish(lake, folder, 'berlin', at(IN_APRIL_AT));
  const days = await daysOf(folder);
  const [path = ''] = await shownPaths(folder);
  truncateSync(join(folder, 'video_snapshots', path), 100);
  // as if this version's codec packed the same rows into other bytes
  const log = join(folder, 'video_snapshots', '_delta_log', `${'0'.repeat(20)}.json`);
  writeFileSync(log, readFileSync(log, 'utf8').replace(/"size":\d+/, '"size":9999'));
  expect(await publish(lake, folder, 'berlin', at(IN_APRIL_AT))).toMatchObject({ files: 0 });
  await publish(lake, folder, 'berlin', { ...at(IN_APRIL_AT), full: true });
  expect(await daysOf(folder)).toEqual(days);
  const { problems } = await checkPublished(lake.dataDir, new FileStore(folder), 'berlin');
  expect(problems).toEqual([]);
});
