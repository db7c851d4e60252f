import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
import { forgetSubject } from '../../../src/run/maintenance/forget.ts';
import { restoreLake } from '../../../src/run/maintenance/restore.ts';
import { copiesHolding } from '../../../src/run/maintenance/rewrite-copies.ts';
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
  {
    id: VIDEO,
    platform: 'tiktok',
    user: HANDLE,
    title: TITLE,
    views: 20,
    likes: 2,
    music: 'quokka song',
  },
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

/** Rows that name the subject in every other table, as their writers make them. */
const mention = ({ sqlite }: Lake): void => {
  const key = `(select key from video where id = '${VIDEO}')`;
  sqlite.exec(`
    insert into video_revision (video_key, until_at, title, user) values (${key}, ${AT - 9}, '${TITLE} once', 'quokka.before');
    insert into handle_spelling (folded, handle) values ('quokka.before', 'Quokka.Before') on conflict do nothing;
    insert into extra_revision (video_key, until_at, fields) values (${key}, ${AT - 9}, '{"note":["quokka"]}');
    insert into analyses values ('${VIDEO}', ${AT}, 'statistical', '{"summary":"${TITLE}"}');
    insert into analyses values ('tt_1', ${AT}, 'statistical', '{"peers":["${VIDEO}","tt_3"]}');
    insert into models (id, kind, platform, learnt_at, learnt_until, samples, scores, parameters)
      values (1, 'video.feed', 'tiktok', ${AT}, ${AT}, 1, '{}', x'00');
    insert into forecast (video_key, made_at, horizon_hours, top_probability, model_id) values (${key}, ${AT}, 6, 0.1, 1);
    insert into events values ('e1', 'trend.spike', 'tiktok', 'video:${VIDEO}', ${AT}, ${AT}, 'trendlake', '{"id":"e1"}');
    insert into events values ('e2', 'creator.viral', 'tiktok', 'creator:${HANDLE}', ${AT}, ${AT}, 'upstream', '{"id":"e2"}');
    insert into events values ('e3', 'niche.breakout', 'tiktok', 'niche:zoo', ${AT}, ${AT}, 'trendlake', '{"evidence":{"first":"${VIDEO}"}}');
    insert into subscriptions (id, url, secret, filter, allow_loopback_http, created_at) values ('s1', 'https://example.org', '', '{}', 0, ${AT});
    insert into deliveries (id, event_id, subscription_id, state, queued_at, attempts, last_answer)
      values ('e1.s1', 'e1', 's1', 'delivered', ${AT}, 1, 'got ${VIDEO}');
    insert into received_hooks values ('h1', ${AT}, 'creator.viral', 'e2', '{"data":{"handle":"${HANDLE}"}}');
    insert into received_hooks values ('h2', ${AT}, 'odd', null, '{"data":{"handle":"${HANDLE}"}}');
    insert into wanted_subjects values ('tiktok', 'creator:${HANDLE}', 'e2', ${AT}, null);
    insert into watches (id, kind, platform, subject, every_ms, created_at, next_at)
      values ('w1', 'creator', 'tiktok', '${HANDLE.toLowerCase()}', 1, ${AT}, ${AT}), ('w2', 'hashtag', '', 'zoo', 1, ${AT}, ${AT});
    insert into watch_tags values ('w1', 'acme');
    insert into search_hit (watch_id, captured_at, rank, video_key) values ('w2', ${AT}, 1, ${key});
    insert into alert_hits values ('a1', '${VIDEO}', ${AT}, '{"n":1}', ${AT}, null);
    insert into alert_hits values ('a1', 'zoo', ${AT}, '{"video_id":"${VIDEO}","title":"${TITLE}"}', ${AT}, null);
    insert into rejected_items (origin, reason, item, seen_at) values ('f:1', 'no id', '{"user":"${HANDLE}","title":"cut', ${AT});
    insert into drift values ('content item', 'pals', ${AT}, '["${VIDEO}"]', null);
    insert into runs (id, started_at, outcome, heartbeat_at, jobs) values (1, ${AT}, 'complete', ${AT}, '[]');
    insert into run_items (run_id, job, request, request_json, position, state, attempts)
      values (1, 'growth', 'GET /videos/${VIDEO}/growth', '{"kind":"growth","id":"${VIDEO}"}', 1, 'done', 1);`);
};

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

const NEEDLES = [VIDEO, HANDLE, HANDLE.toLowerCase(), TITLE, 'zebra', 'quokka', 'Quokka'];

test('a forgotten creator is in no file of the data directory, and does not come back', async () => {
  const dataDir = freshFolder();
  const clock = virtualClock(AT + 2 * HOUR_MS);
  const lake = freshLake(dataDir);
  fill(lake);
  mention(lake);
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
  // drift and spellings, which name no rows of users, depend on what has gone already
  const { drift, handle_spelling, ...erased } = counts.rows;
  const { drift: _, handle_spelling: __, ...planned } = JSON.parse(dry.out).rows;
  expect(planned).toEqual(erased);
  expect(erased).toMatchObject({ run_items: 1, responses: expect.any(Number) });
  expect(filesHolding(dataDir, NEEDLES)).toEqual([]);
  expect(countOf(lake, 'select count(*) from video')).toBe(2);
  expect((await runCommand(['publish', '--json'], { dataDir, clock, env })).out).toContain(
    '"files": 0',
  );

  const watched = ['watch', 'add', `@${HANDLE}`, '--platform', 'tiktok', '--yes'];
  const refused = await runCommand(watched, { dataDir, clock });
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('was erased')]);
  const again = await runCommand([...command, '--yes'], { dataDir, clock, env });
  expect([again.code, JSON.parse(again.out).rows]).toEqual([0, {}]);
  await replayResponses(lake, lake);
  lake.sqlite.exec('delete from drift');
  loadFeed(lake, AT + 3 * HOUR_MS);
  expect(countOf(lake, 'select count(*) from video')).toBe(2);
  expect(
    lake.sqlite.prepare('select rank from ranking order by capture_key, rank').pluck().all(),
  ).toEqual([1, 3, 1, 3]);
  await exportLake(lake, { clock });
  const next = await runCommand(['publish', '--json'], { dataDir, clock, env });
  expect([next.code, JSON.parse(next.out).files]).toEqual([0, expect.any(Number)]);
  expect(JSON.parse(next.out).files).toBeGreaterThan(0);
  lake.sqlite.pragma('wal_checkpoint(truncate)');
  expect(filesHolding(dataDir, NEEDLES)).toEqual([]);
});

test('a backup that holds it is named, and a restore of it erases it again', async () => {
  const dataDir = freshFolder();
  const clock = virtualClock(AT + 2 * HOUR_MS);
  const lake = freshLake(dataDir);
  fill(lake);
  await backupLake(lake, { clock });
  const backup = 'backups/trendlake-2026-03-01.db';
  expect(copiesHolding(dataDir, [{ kind: 'video', id: VIDEO }])).toEqual([backup]);
  await forgetSubject(lake, { kind: 'video', id: VIDEO }, { clock });
  expect(copiesHolding(dataDir, [{ kind: 'video', id: VIDEO }])).toEqual([backup]);
  expect(filesHolding(dataDir, [VIDEO, TITLE])).toEqual([backup]);
  lake.close();

  await restoreLake(dataDir, undefined, clock);
  expect(filesHolding(dataDir, [VIDEO, TITLE])).toEqual([backup]);
  const restored = freshLake(dataDir);
  expect(countOf(restored, 'select count(*) from video')).toBe(2);
  expect(countOf(restored, 'select count(*) from creator')).toBe(1);
});

test('a lake that a restore set aside is named once, without its journal', () => {
  const dataDir = freshFolder();
  const lake = freshLake(dataDir);
  fill(lake);
  const aside = 'trendlake.db.before-2026-03-01T12-00-00-000Z';
  for (const end of ['', '-wal', '-shm'])
    copyFileSync(join(dataDir, `trendlake.db${end}`), join(dataDir, `${aside}${end}`));
  expect(copiesHolding(dataDir, [{ kind: 'video', id: VIDEO }])).toEqual([aside]);
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
