import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPublished } from '../../../src/output/delta/check-published.ts';
import { FileStore } from '../../../src/output/delta/file-store.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { filledLake } from '../parquet/filled-lake.ts';
import { lakeOfTwoExports, publish } from './publishing.ts';

test('what a table lacks, still shows or names in vain is found; a full publish mends it', async () => {
  const { lake, before, after } = await lakeOfTwoExports();
  const folder = freshFolder();
  const check = async (): Promise<string[]> =>
    (await checkPublished(lake.dataDir, new FileStore(folder), 'berlin')).problems;
  before();
  await publish(lake, folder, 'berlin');
  expect(await check()).toEqual([]);
  after();
  expect(await check()).toEqual([
    expect.stringMatching(/^video_snapshots lacks lake=berlin\/2026-03-01-\w{64}\.parquet$/),
    expect.stringMatching(/^video_snapshots still shows lake=berlin\/2026-03-01-\w{64}/),
  ]);
  await publish(lake, folder, 'berlin');
  const videos = join(folder, 'videos', 'lake=berlin');
  for (const name of readdirSync(videos)) rmSync(join(videos, name));
  expect(await check()).toEqual([
    expect.stringMatching(/^videos names files that are missing or cut: lake=berlin\/\w{64}/),
  ]);
  await publish(lake, folder, 'berlin');
  expect(await check()).toHaveLength(1);
  await publish(lake, folder, 'berlin', { full: true });
  expect(await check()).toEqual([]);
});

test.each([
  [{}, 'TRENDLAKE_TABLES_URL'],
  [{ TRENDLAKE_TABLES_URL: 'file:///nowhere' }, 'TRENDLAKE_LAKE'],
  [{ TRENDLAKE_TABLES_URL: 'gs://bucket' }, 's3://bucket/prefix or file:///folder'],
  [{ TRENDLAKE_TABLES_URL: 's3://bucket?x=1' }, 's3://bucket/prefix or file:///folder'],
  [{ TRENDLAKE_TABLES_URL: 's3://b', TRENDLAKE_LAKE: 'Berlin/..' }, 'a-z, 0-9, - and _'],
])('publish with %j is a matter of settings', async (env, words) => {
  const lake = filledLake();
  const { code, err } = await runCommand(['publish'], { dataDir: lake.dataDir, env });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) });
});
