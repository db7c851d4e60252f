import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answeredCall } from '../../../fixtures/answered-call.ts';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import { loadResponse } from '../../../src/ingest/responses/load-response.ts';
import { replayResponses } from '../../../src/ingest/responses/replay.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { backupLake } from '../../../src/run/maintenance/backup.ts';
import { forgetSubject, planErasure } from '../../../src/run/maintenance/forget.ts';
import { restoreLake } from '../../../src/run/maintenance/restore.ts';
import { requestLine, type UpstreamRequest } from '../../../src/upstream/request.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { FEED, responseOf } from '../../support/responses.ts';
import { runCommand } from '../../support/run-command.ts';

const AT = Date.UTC(2026, 2, 1, 12);
const VIDEO = 'tt_7301234567890123456';
const TITLE = 'quaint zebra pancakes';
const HANDLE = 'Erasable.Maker';

const FEED_ITEMS = [
  { id: 'tt_1', platform: 'tiktok', user: 'stayer', title: 'stays one', views: 10, likes: 1 },
  { id: VIDEO, platform: 'tiktok', user: HANDLE, title: TITLE, views: 20, likes: 2, music: 'a' },
  { id: 'tt_3', platform: 'tiktok', user: 'stayer', title: 'stays two', views: 9007199254740993n },
];

const text = (value: unknown): Buffer =>
  Buffer.from(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one)));

const load = (lake: Lake, request: UpstreamRequest, stated: unknown, at: number): void => {
  const callId = Number(
    lake.sqlite
      .prepare("insert into calls (job, request, sent_at, sender) values ('feed', ?, ?, 'test')")
      .run(requestLine(request), at).lastInsertRowid,
  );
  loadResponse(
    lake,
    answeredCall({ request, response: responseOf(text(stated)), callId, receivedAt: at }),
  );
};

const GROWTH: UpstreamRequest = { kind: 'growth', id: VIDEO, platform: 'tiktok' };
const CREATOR: UpstreamRequest = { kind: 'creator', platform: 'tiktok', handle: HANDLE };

const loadFeed = (lake: Lake, at: number): void =>
  load(lake, FEED, { total: 3, items: FEED_ITEMS, asOf: isoOf(at) }, at);

const fill = (lake: Lake): void => {
  loadFeed(lake, AT);
  load(lake, GROWTH, { id: VIDEO, snapshots: [{ at: isoOf(AT - HOUR_MS), views: 5 }] }, AT + 1);
  load(lake, CREATOR, { handle: HANDLE, followers: 7, bio: 'rare quokka bio' }, AT + 2);
  load(lake, FEED, { total: 1, items: [{ user: HANDLE, title: TITLE }] }, AT + HOUR_MS);
};

/** Files under a folder that hold one of these texts. */
const filesHolding = (folder: string, needles: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    if (!statSync(path).isFile()) return false;
    const bytes = readFileSync(path);
    return needles.some((needle) => bytes.includes(needle));
  });

const NEEDLES = [VIDEO, HANDLE, HANDLE.toLowerCase(), TITLE, 'zebra', 'quokka'];

test('a forgotten creator is in no file of the data directory, and does not come back', async () => {
  const dataDir = freshFolder();
  const clock = virtualClock(AT + 2 * HOUR_MS);
  const lake = freshLake(dataDir);
  fill(lake);
  await exportLake(lake, { clock });
  const tables = join(dataDir, 'tables');
  const env = { TRENDLAKE_TABLES_URL: `file://${tables}`, TRENDLAKE_LAKE: 'test' };
  expect((await runCommand(['publish'], { dataDir, clock, env })).code).toBe(0);
  const before = filesHolding(dataDir, NEEDLES);
  expect(before).toContain('trendlake.db-wal');
  expect(before.filter((path) => path.includes('_delta_log'))).not.toEqual([]);

  const command = ['forget', `@${HANDLE}`, '--platform', 'tiktok', '--json'];
  const dry = await runCommand([...command, '--dry-run'], { dataDir, clock });
  const done = await runCommand([...command, '--yes'], { dataDir, clock, env });
  expect([dry.code, done.code, dry.err, done.err]).toEqual([0, 0, '', '']);
  const counts = JSON.parse(done.out);
  expect(counts.rows).toMatchObject({
    videos: 1,
    creators: 1,
    video_snapshots: 2,
    rankings: 1,
    calls: 2,
  });
  expect(counts.backups).toEqual([]);
  expect(JSON.parse(dry.out).rows).toMatchObject({ videos: 1, creators: 1, video_snapshots: 2 });
  expect(filesHolding(dataDir, NEEDLES)).toEqual([]);
  expect(countOf(lake, 'select count(*) from video')).toBe(2);
  expect((await runCommand(['publish', '--json'], { dataDir, clock, env })).out).toContain(
    '"files": 0',
  );

  await replayResponses(lake, lake);
  loadFeed(lake, AT + 3 * HOUR_MS);
  expect(countOf(lake, 'select count(*) from video')).toBe(2);
  expect(
    lake.sqlite.prepare('select rank from ranking order by capture_key, rank').pluck().all(),
  ).toEqual([1, 3, 1, 3]);
  lake.sqlite.pragma('wal_checkpoint(truncate)');
  expect(filesHolding(dataDir, NEEDLES)).toEqual([]);
});

test('a backup that holds it is named, and a restore of it erases it again', async () => {
  const dataDir = freshFolder();
  const clock = virtualClock(AT + 2 * HOUR_MS);
  const lake = freshLake(dataDir);
  fill(lake);
  await backupLake(lake, { clock });
  const planned = planErasure(lake, { kind: 'video', id: VIDEO });
  const erased = await forgetSubject(lake, { kind: 'video', id: VIDEO }, { clock });
  const backup = 'backups/trendlake-2026-03-01.db';
  expect([planned.backups, erased.backups]).toEqual([[backup], [backup]]);
  expect(filesHolding(dataDir, [VIDEO, TITLE])).toEqual([backup]);
  lake.close();

  await restoreLake(dataDir, undefined, clock);
  expect(filesHolding(dataDir, [VIDEO, TITLE])).toEqual([backup]);
  const restored = freshLake(dataDir);
  expect(countOf(restored, 'select count(*) from video')).toBe(2);
  expect(countOf(restored, 'select count(*) from creator')).toBe(1);
});

test('an import drops erased subjects and counts them', async () => {
  const dataDir = freshFolder();
  const clock = virtualClock(AT);
  const lake = freshLake(dataDir);
  await forgetSubject(lake, { kind: 'creator', platform: 'tiktok', handle: HANDLE }, { clock });
  const lines = [
    { id: VIDEO, platform: 'tiktok', title: TITLE, user: `@${HANDLE.toUpperCase()}` },
    { id: 'tt_1', platform: 'tiktok', title: 'stays', user: 'stayer' },
    { platform: 'tiktok', title: TITLE, user: HANDLE },
  ];
  const counts = [VIDEO, 'tt_1'].map((id) => ({ id, at: isoOf(AT), views: 1 }));
  const creators = [{ user: HANDLE, platform: 'tiktok', at: isoOf(AT), followers: 1 }];
  const folder = freshFolder();
  for (const [name, rows] of Object.entries({ videos: lines, snapshots: counts, creators }))
    writeFileSync(
      join(folder, `${name}.ndjson`),
      rows.map((row) => JSON.stringify(row)).join('\n'),
    );
  const { code } = await runCommand(['import', folder], { dataDir, clock });
  expect(code).toBe(3); // the line without an id
  expect(lake.sqlite.prepare('select id from video').pluck().all()).toEqual(['tt_1']);
  expect(lake.sqlite.prepare('select item from rejected_items').pluck().all()).toEqual([
    '{"erased":true}',
  ]);
  expect(countOf(lake, 'select sum(dropped) from erased')).toBe(3);
  expect(countOf(lake, 'select count(*) from creator')).toBe(0);
});
