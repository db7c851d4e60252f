import { expect, test } from 'vitest';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { keepSettings } from '../../../src/base/config/keep-setting.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { videoGrowth } from '../../../src/lake/read/video-growth.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { keepLake, planKeep } from '../../../src/run/maintenance/keep.ts';
import { freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const NOW = Date.UTC(2026, 5, 1, 4, 35);
const KEEP = {
  snapshots: { full: 70 * DAY_MS, daily: 100 * DAY_MS },
  rankings: { full: 70 * DAY_MS, daily: 100 * DAY_MS },
  events: 80 * DAY_MS,
  forecasts: 80 * DAY_MS,
  calls: 80 * DAY_MS,
};
const VIDEOS = 3;
const DAYS = 120;
const PER_DAY = 8;

interface Snapshot {
  readonly key: number;
  readonly at: number;
  readonly views: number | null;
}

/** Views with a peak at a different hour of each day, and gaps. */
const snapshots = (): Snapshot[] =>
  Array.from({ length: VIDEOS * DAYS * PER_DAY }, (_, i) => {
    const key = 1 + (i % VIDEOS);
    const nth = Math.floor(i / VIDEOS);
    const at = NOW - 5 * HOUR_MS - nth * 3 * HOUR_MS + key;
    const views = nth % 11 === 0 ? null : ((nth * 7919 + key) % 1009) * 10;
    return { key, at, views };
  });

const fill = (lake: Lake): void => {
  const { sqlite } = lake;
  for (let key = 1; key <= VIDEOS; key++)
    sqlite
      .prepare("insert into video (key, id, platform) values (?, ?, 'tiktok')")
      .run(key, `tt_${key}`);
  const insert = sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, rate_derived, source) values (?, ?, ?, 0, 0)',
  );
  for (const { key, at, views } of snapshots()) insert.run(key, at, views);
  const capture = sqlite.prepare(
    "insert into capture (key, list, platform, period, captured_at, completed_at) values (?, 'feed', 'tiktok', '24h', ?, ?)",
  );
  const rank = sqlite.prepare(
    'insert into ranking (capture_key, rank, video_key) values (?, ?, ?)',
  );
  const call = sqlite.prepare(
    "insert into calls (id, run_id, job, request, sent_at, sender) values (?, ?, 'feed', 'GET /feed/tiktok', ?, 'test')",
  );
  const run = sqlite.prepare(
    "insert into runs (id, started_at, finished_at, outcome, heartbeat_at, jobs) values (?, ?, ?, 'complete', ?, '[]')",
  );
  const event = sqlite.prepare(
    `insert into events (id, kind, platform, subject, occurred_at, detected_at, origin, data)
     values (?, 'trend.spike', 'tiktok', 'video:tt_1', ?, ?, 'trendlake', '{}')`,
  );
  sqlite.exec(`insert into watches (id, kind, platform, subject, every_ms, created_at, next_at)
    values ('w1', 'search', '', 'zoo', 1, 0, 0)`);
  const hit = sqlite.prepare(
    "insert into search_hit (watch_id, captured_at, rank, video_key) values ('w1', ?, 1, 1)",
  );
  const alert = sqlite.prepare(
    "insert into alert_hits (name, subject, at, row, seen_at) values ('a', 's', ?, '{}', ?)",
  );
  for (let n = 1; n <= DAYS * PER_DAY; n++) {
    const at = NOW - n * 3 * HOUR_MS;
    hit.run(at);
    alert.run(at, at);
    capture.run(n, at, n % 50 === 0 ? null : at);
    for (let r = 1; r <= (n % 4 === 0 ? VIDEOS : 1); r++) rank.run(n, r, r);
    run.run(n, at, at, at);
    call.run(n, n, at);
    event.run(`e${n}`, at, at);
  }
};

const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** The rule, said in another way. */
const expected = (): Snapshot[] => {
  const all = snapshots();
  const cut = (span: number): number => dayOf(NOW - span) * DAY_MS;
  const groups = Map.groupBy(all, ({ key, at }) => `${key} ${dayOf(at)}`);
  const newest = new Map<number, number>();
  for (const { key, at } of all) newest.set(key, Math.max(at, newest.get(key) ?? at));
  return [...groups.values()].flatMap((day) => {
    const rows = day.toSorted((a, b) => a.at - b.at);
    const [first] = rows;
    if (first === undefined || first.at >= cut(KEEP.snapshots.full)) return rows;
    if (first.at < cut(KEEP.snapshots.daily))
      return rows.filter((row) => row.at === newest.get(row.key));
    if (rows.length <= 3) return rows;
    const peak = Math.max(...rows.map(({ views }) => views ?? -1));
    const top = rows.find(({ views }) => (views ?? -1) === peak);
    return rows.filter((row) => row === first || row === rows.at(-1) || row === top);
  });
};

const stored = (lake: Lake): unknown[] =>
  lake.sqlite
    .prepare(
      'select video_key as key, observed_at as at, views from video_snapshot order by key, at',
    )
    .all();

test('each old day keeps its first, last and peak snapshot, and the oldest go', async () => {
  const lake = freshLake();
  const clock = virtualClock(NOW);
  fill(lake);
  const planned = planKeep(lake, KEEP, NOW);
  const removed = await keepLake(lake, KEEP, { clock });
  expect(stored(lake)).toEqual(expected().toSorted((a, b) => a.key - b.key || a.at - b.at));
  expect(planned.map(({ table, removed: n }) => [table, n])).toEqual(
    Object.entries(removed).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  expect(await keepLake(lake, KEEP, { clock })).toEqual({});
  expect(planKeep(lake, KEEP, NOW)).toEqual([]);
});

test('growth of a thinned video states from when its days are whole', async () => {
  const lake = freshLake();
  fill(lake);
  const key = 1;
  expect(videoGrowth(lake, key, NOW)).not.toHaveProperty('dailyBefore');
  await keepLake(lake, KEEP, { clock: virtualClock(NOW) });
  const dailyBefore = dayOf(NOW - KEEP.snapshots.full) * DAY_MS;
  expect(videoGrowth(lake, key, NOW)).toMatchObject({ dailyBefore: isoOf(dailyBefore) });
  lake.sqlite.prepare('delete from video_snapshot where observed_at < ?').run(dailyBefore);
  expect(videoGrowth(lake, key, NOW)).not.toHaveProperty('dailyBefore');
});

test('each old day of a list keeps its first, last and longest capture', async () => {
  const lake = freshLake();
  fill(lake);
  await keepLake(lake, KEEP, { clock: virtualClock(NOW) });
  const perDay = lake.sqlite
    .prepare(
      `select captured_at / ${DAY_MS} as day, count(*) as n, max((select count(*) from ranking where capture_key = key)) as longest
       from capture group by day order by day`,
    )
    .all() as { day: number; n: number; longest: number }[];
  const full = dayOf(NOW - KEEP.rankings.full);
  expect(perDay[0]?.day).toBe(dayOf(NOW - KEEP.rankings.daily));
  for (const { day, n, longest } of perDay.slice(0, -1)) {
    expect(n).toBe(day < full ? Math.min(n, 3) : PER_DAY);
    expect(longest).toBe(VIDEOS);
  }
  expect(perDay.slice(0, -1).filter(({ n }) => n <= 3)).toHaveLength(30);
});

test('events, forecasts, calls and runs go at their age', async () => {
  const lake = freshLake();
  fill(lake);
  await keepLake(lake, KEEP, { clock: virtualClock(NOW) });
  const cutoff = dayOf(NOW - KEEP.events) * DAY_MS;
  for (const [table, at] of [
    ['events', 'occurred_at'],
    ['calls', 'sent_at'],
    ['runs', 'started_at'],
    ['alert_hits', 'seen_at'],
  ])
    expect(countOf(lake, `select min(${at}) from ${table}`)).toBe(cutoff + 35 * 60_000 + HOUR_MS);
});

test('Parquet follows, and a plan shows the saving before it is set', async () => {
  const lake = freshLake();
  const clock = virtualClock(NOW);
  fill(lake);
  await exportLake(lake, { clock });
  const spans = '{"snapshots": {"full": "70d", "daily": "100d"}}';
  const { code, out } = await runCommand(['plan', '--keep', spans, '--json'], {
    dataDir: lake.dataDir,
    clock,
  });
  expect([code, JSON.parse(out).keep.map(({ table }: { table: string }) => table)]).toEqual([
    0,
    ['video_snapshots'],
  ]);
  await keepLake(lake, KEEP, { clock });
  const { removed } = await exportLake(lake, { clock });
  expect(removed).toBeGreaterThanOrEqual(20);
  expect(await exportLake(lake, { clock, full: true })).toMatchObject({ removed: 0 });
});

test.each([
  ['{"snapshots": {"full": "10d"}}', 'snapshots.full must be a span of at least 62 days'],
  ['{"snapshots": {"full": "2y", "daily": "1y"}}', 'snapshots.daily must not be shorter'],
  ['{"videos": "2y"}', 'videos is unknown'],
  ['{"events": 5}', 'events must be a span'],
  ['[]', 'JSON such as'],
])('%s is refused', (text, reason) => {
  expect(keepSettings(text)).toEqual({ expected: expect.stringContaining(reason) });
});
