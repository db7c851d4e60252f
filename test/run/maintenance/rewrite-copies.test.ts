import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { startS3 } from '../../output/delta/s3-server.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

beforeAll(() => {
  // where the client of S3 looks for them
  process.env.AWS_ACCESS_KEY_ID = 'key-of-this-test';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret-of-this-test';
});

const T0 = Date.UTC(2026, 2, 1, 5, 15);
const NAME = 'backups/trendlake-2026-03-01T05-15-00-000Z';
const clock = virtualClock(T0 + HOUR_MS);

/** A lake with two creators, with a backup here and one in `to`. */
const backedUp = async (env: NodeJS.ProcessEnv) => {
  const lake = freshLake();
  const { dataDir } = lake;
  const builder = new LakeBuilder(lake);
  builder.video({ id: 'tt_1', title: 'kept', user: 'stayer', snapshots: [[T0, 10]] });
  await runCommand(['backup'], { dataDir, env, clock: virtualClock(T0 - 2 * DAY_MS) });
  builder.video({ id: 'tt_2', title: 'quokka', user: 'goer', snapshots: [[T0, 10]] });
  await runCommand(['keys', 'create', '--use-case', 'desk'], { dataDir, env });
  const made = await runCommand(['backup'], { dataDir, env, clock: virtualClock(T0) });
  expect([made.code, made.err]).toEqual([0, '']);
  lake.close();
  return dataDir;
};

const forget = async (dataDir: string, env: NodeJS.ProcessEnv, ...args: string[]) => {
  const argv = ['forget', '@goer', '--platform', 'tiktok', '--json', ...args];
  const { code, out, err } = await runCommand(argv, { dataDir, env, clock });
  expect([code, err]).toEqual([0, '']);
  return (JSON.parse(out) as { backups: string[] }).backups;
};

/** Titles and keys that the newest backup brings back on an empty machine. */
const restored = async (env: NodeJS.ProcessEnv) => {
  const dataDir = freshFolder();
  await runCommand(['restore', 'latest', '--yes', '--no-export'], { dataDir, env });
  const titles = await runCommand(['query', 'select title from videos', '--json'], { dataDir });
  const keys = await runCommand(['keys', 'list'], { dataDir });
  return [JSON.parse(titles.out), keys.out.includes('desk')];
};

test('forget names the backups of a folder that hold the subject, and rewrites them', async () => {
  const to = freshFolder();
  const env = { TRENDLAKE_BACKUPS_TO: to };
  const dataDir = await backedUp(env);
  const holding = ['backups/trendlake-2026-03-01.db', `file://${to}/${NAME}`];
  expect(await forget(dataDir, env, '--dry-run')).toEqual(holding);
  expect(await forget(dataDir, env, '--yes')).toEqual(holding);
  expect(await restored(env)).toEqual([[{ title: 'kept' }, { title: 'quokka' }], true]);
  const again = await forget(dataDir, env, '--yes', '--rewrite-backups');
  expect(again).toEqual([]);
  expect(await restored(env)).toEqual([[{ title: 'kept' }], true]);
  const listed = await runCommand(['backups', 'list', '--json'], { dataDir, env });
  expect((JSON.parse(listed.out) as { name: string }[]).map(({ name }) => name)).toEqual([
    'trendlake-2026-02-27.db',
    'trendlake-2026-03-01.db',
    'trendlake-2026-02-27T05-15-00-000Z',
    'trendlake-2026-03-01T05-15-00-000Z-1',
  ]);
  expect(await forget(dataDir, env, '--dry-run')).toEqual([]);
});

test('forget names all backups of a bucket, and rewrites them', async () => {
  const s3 = await startS3();
  const env = { ...s3.env, TRENDLAKE_BACKUPS_TO: 's3://bucket/lake' };
  const dataDir = await backedUp(env);
  expect(await forget(dataDir, env, '--dry-run')).toEqual([
    'backups/trendlake-2026-03-01.db',
    's3://bucket/lake/backups/trendlake-2026-02-27T05-15-00-000Z',
    `s3://bucket/lake/${NAME}`,
  ]);
  expect(await forget(dataDir, env, '--yes', '--rewrite-backups')).toEqual([]);
  expect(await restored(env)).toEqual([[{ title: 'kept' }], true]);
});

test('a damaged backup is named, and the others are rewritten', async () => {
  const to = freshFolder();
  const env = { TRENDLAKE_BACKUPS_TO: to };
  const dataDir = await backedUp(env);
  const damaged = 'backups/trendlake-2026-02-27T05-15-00-000Z';
  writeFileSync(join(to, damaged, 'lake.db.zst'), 'x');
  const argv = ['forget', 'tt_2', '--yes', '--rewrite-backups', '--json'];
  const { code, out, err } = await runCommand(argv, { dataDir, env, clock });
  expect(JSON.parse(out)).toMatchObject({ backups: [`file://${to}/${damaged}`] });
  expect([code, err]).toEqual([3, expect.stringMatching(/was not rewritten: .*is damaged/)]);
  expect(await restored(env)).toEqual([[{ title: 'kept' }], true]);
});
