import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOBS } from '../../jobs/all-jobs.ts';
import { systemClock, virtualClock } from '../../src/base/clock.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import { whileLiving } from '../../src/lake/exclusive.ts';
import { openLake, openLakeForReading } from '../../src/lake/open.ts';
import { PipelineReader } from '../../src/run/pipeline/pipeline-reader.ts';
import { accounting } from '../../src/run/plan/accounting.ts';
import { startService } from '../../src/serve/service.ts';
import type { RunningService } from '../../src/serve/service-options.ts';
import { freshFolder } from '../support/fresh.ts';
import { smallConfig } from '../support/sync-once.ts';
import { hoursAgo, NOW } from './filled-lake.ts';
import { runService } from './running.ts';

const dataDir = freshFolder();
const config = smallConfig(dataDir, 'http://127.0.0.1:9/v1', {
  callsPerMonth: '5000',
  pricePer1000: '2 EUR',
});
const pipeline = new PipelineReader({
  dataDir,
  config,
  jobs: JOBS,
  chores: [{ name: 'backup', schedule: '15 5 * * *' }],
});
const GROWTH = 'GET /videos/tt_1/growth';

let service: RunningService;
beforeAll(async () => {
  const lake = openLake(dataDir);
  const run = lake.sqlite.prepare(
    'insert into runs (started_at, finished_at, outcome, heartbeat_at, jobs, summary) values (?, ?, ?, ?, ?, ?)',
  );
  run.run(hoursAgo(26), hoursAgo(25), 'complete', hoursAgo(25), '["feed"]', '{}');
  run.run(
    hoursAgo(2),
    hoursAgo(1),
    'partial',
    hoursAgo(1),
    '["feed","growth"]',
    '{"reason":"one <failed>"}',
  );
  const item = lake.sqlite.prepare(
    'insert into run_items (run_id, job, request, request_json, position, state, attempts, error, reason) values (2, ?, ?, ?, ?, ?, 1, ?, ?)',
  );
  item.run('feed', 'GET /feed/tiktok', '{}', 1, 'done', null, null);
  const reason = {
    rule: 'due',
    worthHours: 48.2,
    priceHours: 46.3,
    ageHours: 96,
    sinceRefreshHours: 5,
  };
  item.run('growth', GROWTH, '{}', 2, 'failed', 'HTTP 500 <x>', JSON.stringify(reason));
  const call = lake.sqlite.prepare(
    "insert into calls (run_id, job, request, sent_at, finished_at, status, error, sender, rows_changed) values (2, ?, ?, ?, ?, ?, ?, 'x', ?)",
  );
  call.run('feed', 'GET /feed/tiktok', hoursAgo(2), hoursAgo(2) + 40, 200, null, 12);
  call.run('growth', GROWTH, hoursAgo(2), hoursAgo(2) + 70, 500, 'HTTP 500 <x>', null);
  lake.sqlite
    .prepare(
      "insert into drift (resource, field, first_seen_at, sample) values ('growth', 'mood', ?, '\"<i>\"')",
    )
    .run(hoursAgo(2));
  lake.close();
  mkdirSync(join(dataDir, 'backups'));
  writeFileSync(join(dataDir, 'backups', 'trendlake-2026-03-10.db'), Buffer.alloc(4200));
  const clock = virtualClock(NOW);
  service = await startService({ dataDir, clock, machine: systemClock, pipeline });
});
afterAll(async () => {
  await service.close();
  await pipeline.close();
});

const page = async (path: string): Promise<{ status: number; text: string }> => {
  const got = await fetch(new URL(path, service.dashboard));
  return { status: got.status, text: await got.text() };
};

test('shows the quota and plan of `status` and `plan`, in calls and money', async () => {
  const lake = openLakeForReading(dataDir);
  const { month, forecast } = await accounting(lake, config, JOBS, { now: NOW });
  lake.close();
  const { text } = await page('/pipeline');
  const digits = new Intl.NumberFormat('en');
  expect(text).toContain(
    `${digits.format(month.spent)} of ${digits.format(month.limit)} calls spent`,
  );
  expect(text).toContain(
    `On schedule you will use <b>${digits.format(Math.round(forecast))}</b> of `,
  );
  expect(text).toContain(`(${((forecast * 2) / 1000).toFixed(2)} EUR)`);
  const left = digits.format(Math.round(month.limit - forecast));
  expect(text).toContain(`${digits.format(month.remaining)} now, ${left} planned at`);
});

test('runs, sources, slots, drift, failures, backup and daemon', async () => {
  const { text } = await page('/pipeline');
  expect(text).toContain('partial</span>');
  expect(text).toContain('1 done, 1 failed');
  expect(text).toContain('one &lt;failed&gt;');
  expect(text).toContain('Run 2 ended as partial');
  expect(text).toContain('<code>mood</code>');
  expect(text).toContain('&quot;&lt;i&gt;&quot;');
  expect(text).toContain('HTTP 500 &lt;x&gt;');
  expect(text).toContain('2026-03-10</b><span class="one soft small">4.2 kB, 1 kept');
  expect(text).toContain('2026-03-10 12:05 UTC'); // the feed's next slot
  expect(text).toContain('2026-03-11 05:15 UTC'); // the backup's
  expect(text).toContain('not running');
  const clock = virtualClock(NOW - HOUR_MS);
  await whileLiving(dataDir, { name: 'schedule', word: 'x', clock }, async () => {
    // a parameter that the page cache has not seen
    const seen = (await page('/pipeline?limit=49')).text;
    expect(seen).toContain('running</span>');
    expect(seen).toContain(`process ${process.pid} on`);
  });
});

test('marks files exported by version 0.1.0', async () => {
  const folder = join(dataDir, 'parquet');
  mkdirSync(folder);
  expect((await page('/pipeline?limit=48')).text).toContain('No export found');
  const sha256 = '0'.repeat(64);
  const file = { rows: 1200, bytes: 4200, sha256, schemaVersion: 0 };
  const written = {
    format: 1,
    schemaVersion: 0,
    exportedAt: new Date(hoursAgo(30)).toISOString(),
    files: [
      {
        ...file,
        path: 'rankings/date=2026-03-08/r.parquet',
        table: 'rankings',
        date: '2026-03-08',
      },
      { ...file, path: 'videos/videos.parquet', table: 'videos', date: null },
    ],
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(written));
  const { text } = await page('/pipeline?limit=47');
  expect(text).toMatch(/<h2>Parquet <span class="soft small">exported <time [^>]*>30 h ago</);
  expect(text).toContain('2 files</b><span class="one soft small">8.4 kB, from an earlier version');
  expect(text).toContain('written by an earlier version');
  expect(text).toMatch(/<td>rankings<\/td><td class="n">1<\/td><td class="n">1,200<\/td>/);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...written, format: 3 }));
  expect((await page('/pipeline?limit=46')).text).toContain('is not readable');
});

test('a run shows its requests with reasons and results', async () => {
  const { text } = await page('/pipeline?run=2');
  expect(text).toContain(GROWTH);
  expect(text).toContain(
    'due; worth 48.2 h of error, a call costs 46.3 h; published 4 d before; refreshed 5 h before',
  );
  expect(text).toContain('70 ms');
  expect((await page('/pipeline?run=9')).status).toBe(404);
  expect((await page('/pipeline?run=x')).status).toBe(400);
});

test('a past page shows the runs of that time and no present state', async () => {
  const { text } = await page(`/pipeline?asOf=${new Date(hoursAgo(1.5)).toISOString()}`);
  expect(text).toContain('running</span>');
  expect(text).not.toContain('partial</span>');
  expect(text).not.toContain('calls left');
  expect((await page(`/pipeline?run=2&asOf=${new Date(hoursAgo(20)).toISOString()}`)).status).toBe(
    404,
  );
});

test('a service without a pipeline says so', async () => {
  const { service: world } = await runService(() => undefined);
  const got = await fetch(new URL('/pipeline', world.dashboard));
  expect([got.status, await got.text()]).toEqual([
    404,
    expect.stringContaining('serves generated data'),
  ]);
});
