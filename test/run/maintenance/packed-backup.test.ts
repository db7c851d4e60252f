import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { whileLiving } from '../../../src/lake/exclusive.ts';
import { SERVICE_FILE } from '../../../src/lake/former-lake.ts';
import { LAKE_FILE } from '../../../src/lake/open.ts';
import { keptBackups } from '../../../src/run/maintenance/pack-backup.ts';
import { SERVING } from '../../../src/run/schedule/daemon.ts';
import { startS3 } from '../../output/delta/s3-server.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

beforeAll(() => {
  // where the client of S3 looks for them
  process.env.AWS_ACCESS_KEY_ID = 'key-of-this-test';
  process.env.AWS_SECRET_ACCESS_KEY = 'secret-of-this-test';
});

const T0 = Date.UTC(2026, 2, 1, 5, 15);

/** A lake with a video, a key and a folder for backups. */
const filled = async () => {
  const lake = freshLake();
  new LakeBuilder(lake).video({ id: 'tt_1', title: 'kept', snapshots: [[T0, 10]] });
  const { dataDir } = lake;
  const made = await runCommand(['keys', 'create', '--use-case', 'desk'], { dataDir });
  expect([made.code, made.err]).toEqual([0, '']);
  return { lake, dataDir, to: join(freshFolder(), 'with blanks', 'backups') };
};

const titles = async (dataDir: string): Promise<unknown> =>
  JSON.parse((await runCommand(['query', 'select title from videos', '--json'], { dataDir })).out);

test('a backup elsewhere brings lake and keys back on an empty machine', async () => {
  const { dataDir, to } = await filled();
  const clock = virtualClock(T0);
  const made = await runCommand(['backup', '--to', to, '--json'], { dataDir, clock });
  expect(made.code).toBe(0);
  const { name } = JSON.parse(made.out) as { name: string };
  expect(name).toBe('trendlake-2026-03-01T05-15-00-000Z');
  expect(readdirSync(join(to, 'backups', name)).sort()).toEqual([
    'backup.json',
    'lake.db.zst',
    'service.db.zst',
  ]);
  const listed = await runCommand(['backups', 'list', '--from', to, '--json'], { dataDir, clock });
  expect(JSON.parse(listed.out)).toMatchObject([
    { name: 'trendlake-2026-03-01.db', madeAt: '2026-03-01' },
    { name, madeAt: '2026-03-01T05:15:00.000Z' },
  ]);

  const elsewhere = freshFolder();
  const asked = await runCommand(['restore', 'latest', '--from', to], { dataDir: elsewhere });
  expect([asked.code, existsSync(join(elsewhere, LAKE_FILE))]).toEqual([2, false]);
  const restored = await runCommand(['restore', 'latest', '--from', to, '--yes', '--json'], {
    dataDir: elsewhere,
  });
  expect(restored.err).toBe('');
  expect(JSON.parse(restored.out)).toMatchObject({ setAside: null, service: true });
  expect(await titles(elsewhere)).toEqual([{ title: 'kept' }]);
  const keys = await runCommand(['keys', 'list', '--json'], { dataDir: elsewhere });
  expect(keys.out).toContain('desk');
  expect(readdirSync(join(elsewhere, 'backups'))).toEqual([]);
});

test('a bucket alone brings a lake back', async () => {
  const { dataDir } = await filled();
  const s3 = await startS3();
  const env = { ...s3.env, TRENDLAKE_BACKUPS_TO: 's3://bucket/lake' };
  const made = await runCommand(['backup'], { dataDir, env, clock: virtualClock(T0) });
  expect([made.err, made.out]).toEqual(['', expect.stringContaining('s3://bucket/lake, checked')]);
  expect([...s3.objects.keys()].map((key) => key.split('/').at(-1)).sort()).toEqual([
    'backup.json',
    'lake.db.zst',
    'service.db.zst',
  ]);
  const elsewhere = freshFolder();
  const restored = await runCommand(['restore', 'latest', '--yes'], { dataDir: elsewhere, env });
  expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('calls made since')]);
  expect(await titles(elsewhere)).toEqual([{ title: 'kept' }]);
});

test('a restore keeps the current lake and keys, and refuses while a service has them open', async () => {
  const { lake, dataDir, to } = await filled();
  await runCommand(['backup', '--to', to], { dataDir, clock: virtualClock(T0) });
  lake.sqlite.exec("update video set title = 'later'");
  lake.close();
  const clock = virtualClock(T0 + HOUR_MS);
  const restore = ['restore', 'latest', '--from', to, '--yes'];
  await whileLiving(dataDir, { name: SERVING, word: 'a1', clock }, async () => {
    const refused = await runCommand(restore, { dataDir, clock });
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/serve has the lake/) });
  });
  const done = await runCommand(restore, { dataDir, clock });
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('service.db was restored')]);
  expect(await titles(dataDir)).toEqual([{ title: 'kept' }]);
  const files = readdirSync(dataDir);
  expect(files.some((file) => file.startsWith(`${LAKE_FILE}.before-`))).toBe(true);
  expect(files.some((file) => file.startsWith(`${SERVICE_FILE}.before-`))).toBe(true);
});

test('a damaged or unfinished backup changes nothing', async () => {
  const { lake, dataDir, to } = await filled();
  lake.close();
  await runCommand(['backup', '--to', to], { dataDir, clock: virtualClock(T0) });
  const folder = join(to, 'backups', 'trendlake-2026-03-01T05-15-00-000Z');
  mkdirSync(join(to, 'backups', 'trendlake-2026-03-02T05-15-00-000Z')); // killed before its manifest
  const part = join(folder, 'lake.db.zst');
  const bytes = readFileSync(part);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  rmSync(part);
  writeFileSync(part, bytes);
  const { code, err } = await runCommand(['restore', 'latest', '--from', to, '--yes'], { dataDir });
  expect([code, err]).toEqual([1, expect.stringMatching(/lake\.db\.zst .*is damaged/)]);
  expect(await titles(dataDir)).toEqual([{ title: 'kept' }]);
  const unknown = await runCommand(['restore', 'trendlake-x', '--from', to, '--yes'], { dataDir });
  expect(unknown).toMatchObject({ code: 2, err: expect.stringMatching(/no complete backup/) });
});

test('backups are thinned to 7 days, 4 weeks and 12 months', () => {
  const nightly = Array.from({ length: 500 }, (_, night) => T0 + night * DAY_MS);
  const kept = [...keptBackups(nightly)].sort((a, b) => b - a);
  const newest = nightly.at(-1) ?? 0;
  expect(kept.slice(0, 7)).toEqual(Array.from({ length: 7 }, (_, i) => newest - i * DAY_MS));
  expect(kept.length).toBeGreaterThanOrEqual(7 + 2 + 10);
  expect(kept.length).toBeLessThanOrEqual(7 + 4 + 12);
  expect(newest - (kept.at(-1) ?? 0)).toBeGreaterThan(300 * DAY_MS);
  // thinning night by night keeps as much as thinning once
  let stepwise: number[] = [];
  for (const at of nightly) stepwise = [...keptBackups([...stepwise, at])];
  expect(stepwise.length).toBe(kept.length);
});

test('a lake larger than one response of a bucket comes back', async () => {
  const { lake, dataDir } = await filled();
  const longer = lake.sqlite.prepare('update video set title = title || ?');
  longer.run(randomBytes(36_000_000).toString('base64'));
  lake.close();
  const s3 = await startS3();
  const env = { ...s3.env, TRENDLAKE_BACKUPS_TO: 's3://bucket/lake' };
  const made = await runCommand(['backup', '--json'], { dataDir, env, clock: virtualClock(T0) });
  const largest = Math.max(...[...s3.objects.values()].map(({ bytes }) => bytes.length));
  expect([made.code, largest > 32 * 1024 * 1024]).toEqual([0, true]);
  const elsewhere = freshFolder();
  const restored = await runCommand(['restore', 'latest', '--yes'], { dataDir: elsewhere, env });
  expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('calls made since')]);
  const length = ['query', 'select length(title) as n from videos', '--json'];
  const before = await runCommand(length, { dataDir });
  expect(await runCommand(length, { dataDir: elsewhere })).toEqual(before);
}, 60_000);

test('a manifest cut short is left out, and lakes in one folder do not thin each other', async () => {
  const { dataDir, to } = await filled();
  const other = await filled();
  const cut = join(to, 'backups', 'trendlake-2026-02-01T05-15-00-000Z');
  mkdirSync(cut, { recursive: true });
  writeFileSync(join(cut, 'backup.json'), '{"madeAt": "2026-02');
  await runCommand(['backup', '--to', to], { dataDir, clock: virtualClock(T0) });
  const clock = virtualClock(T0 + HOUR_MS);
  const second = await runCommand(['backup', '--to', to, '--json'], {
    dataDir: other.dataDir,
    clock,
  });
  expect(JSON.parse(second.out)).toMatchObject({ removed: 0 });
  const listed = await runCommand(['backups', 'list', '--from', to, '--json'], {
    dataDir: freshFolder(),
  });
  expect(JSON.parse(listed.out)).toHaveLength(2);
});
