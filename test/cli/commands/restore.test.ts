import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { living } from '../../../src/lake/exclusive.ts';
import { eventually } from '../../support/eventually.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { expectManifestAgrees } from '../../support/lake-invariants.ts';
import { runCommand } from '../../support/run-command.ts';

const T0 = Date.UTC(2026, 2, 1, 5, 15);

const backedUp = async () => {
  const lake = freshLake();
  new LakeBuilder(lake).video({ id: 'tt_1', title: 'kept', snapshots: [[T0, 10]] });
  const { dataDir } = lake;
  await runCommand(['backup'], { dataDir, clock: virtualClock(T0) });
  return { lake, dataDir };
};
const restore = (dataDir: string, ...args: string[]) =>
  runCommand(['restore', 'latest', '--yes', ...args], {
    dataDir,
    clock: virtualClock(T0 + DAY_MS),
  });

test('Parquet files agree after a restore, unless --no-export', async () => {
  const { lake, dataDir } = await backedUp();
  new LakeBuilder(lake).video({ id: 'tt_2', title: 'later', snapshots: [[T0 + 1, 1]] });
  lake.close();
  await runCommand(['export'], { dataDir });
  const { code, out } = await restore(dataDir, '--json');
  expect([code, JSON.parse(out).files > 0]).toEqual([0, true]);
  expectManifestAgrees(dataDir);
  const again = await runCommand(['export', '--json'], { dataDir });
  expect(JSON.parse(again.out)).toMatchObject({ files: 0, removed: 0 });
  const left = await restore(dataDir, '--no-export');
  expect([left.code, left.out]).toEqual([0, expect.stringContaining('export --full')]);
});

test('an export that fails leaves the lake restored and says so', async () => {
  const { lake, dataDir } = await backedUp();
  lake.close();
  rmSync(join(dataDir, 'parquet'), { recursive: true, force: true });
  writeFileSync(join(dataDir, 'parquet'), 'no folder');
  const { code, out, err } = await restore(dataDir);
  expect([code, out]).toEqual([3, expect.stringMatching(/^Restored .*export --full/)]);
  expect(err).toContain('restored, but not exported');
});

test('a restore refuses while mcp has the lake open, naming it', async () => {
  const { lake, dataDir } = await backedUp();
  lake.close();
  const input = new PassThrough();
  const assistant = runCommand(['mcp'], { dataDir, input });
  await eventually(() => expect(living(dataDir, 'mcp')).toHaveLength(1));
  expect(await restore(dataDir)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/mcp has the lake .*process \d+/),
  });
  const alias = await runCommand(['doctor', '--restore'], { dataDir });
  expect(alias).toMatchObject({ code: 2, err: expect.stringContaining('mcp has the lake') });
  input.end();
  expect((await assistant).code).toBe(0);
  expect((await restore(dataDir)).code).toBe(0);
});

test('a restore refuses while an import runs', async () => {
  const { lake, dataDir } = await backedUp();
  lake.close();
  const folder = freshFolder();
  mkdirSync(join(folder, 'in'));
  const line = (n: number): string =>
    JSON.stringify({ id: `tt_${n}`, at: T0 + n, views: n, note: 'x'.repeat(60) });
  writeFileSync(
    join(folder, 'in', 'snapshots.ndjson'),
    Array.from({ length: 40_000 }, (_, n) => line(n)).join('\n'),
  );
  const stop = new AbortController();
  const importing = runCommand(['import', join(folder, 'in')], { dataDir, signal: stop.signal });
  await eventually(() => expect(living(dataDir, 'import')).toHaveLength(1));
  const refused = await restore(dataDir);
  stop.abort(new Error('stopped'));
  await importing;
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('import has the lake') });
});

test('a backup unpacked by hand is restored and stays', async () => {
  const { lake, dataDir } = await backedUp();
  lake.close();
  const name = 'trendlake-2026-03-01T05-15-00-000Z.db';
  const path = join(dataDir, 'backups', name);
  copyFileSync(join(dataDir, 'backups', 'trendlake-2026-03-01.db'), path);
  const argv = ['restore', path, '--yes', '--no-export'];
  const { code, out } = await runCommand(argv, { dataDir, clock: virtualClock(T0 + DAY_MS) });
  expect([code, out]).toEqual([0, expect.stringContaining(name)]);
  expect(existsSync(path)).toBe(true);
});
