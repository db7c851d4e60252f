import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import type { SnapshotSource } from '../../../src/ingest/writers/merge-video.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { chooseCalls } from '../../../src/learn/budget/choice.ts';
import { lakeInput } from '../../../src/learn/budget/lake-input.ts';
import { creatorNames, lastRefreshes, REFRESHES } from '../../../src/learn/budget/read-tracked.ts';
import { FIRST_CREATOR, groupOf, type TrackedVideos } from '../../../src/learn/budget/tracked.ts';
import { RunLog } from '../../../src/run/run/run-log.ts';
import { requestLine, type UpstreamRequest } from '../../../src/upstream/request.ts';
import { openTestLake } from '../../support/test-lake.ts';

const NOW = Date.UTC(2026, 2, 10, 12);
const hoursAgo = (hours: number): number => NOW - hours * HOUR_MS;

type Requested = Extract<UpstreamRequest, { kind: 'growth' | 'creator' }>;

const freshLake = () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-budget-'));
  const lake = openTestLake(dataDir);
  onTestFinished(() => {
    lake.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { sqlite } = lake;
  const builder = new LakeBuilder(lake);
  const log = new RunLog(lake);
  const runId = log.begin(['creators'], NOW);
  const addCall = sqlite.prepare(
    "insert into calls (run_id, job, request, sent_at, finished_at, status, sender) values (?, 'creators', ?, ?, ?, 200, 'test')",
  );
  const addResponse = sqlite.prepare(
    `insert into calls (run_id, job, request, sent_at, finished_at, status, error, rows_changed, sender)
     values (?, ?, ?, ?, ?, ?, ?, ?, 'test')`,
  );
  return {
    lake,
    /** A separate run that requested something and received this. */
    requested: (
      request: Requested,
      hours: number,
      told: { status: number; error?: string; rows?: number },
    ) => {
      const job = request.kind === 'growth' ? 'growth' : 'creators';
      const run = log.begin([job], hoursAgo(hours));
      log.plan(run, job, [{ request }]);
      const { status, error = null, rows = null } = told;
      const at = hoursAgo(hours);
      addResponse.run(run, job, requestLine(request), at, at, status, error, rows);
    },
    video: (
      key: number,
      user: string | null,
      bornHoursAgo: number | null,
      refreshes: [hoursAgo: number, views: number | null, source?: SnapshotSource][],
    ) => {
      const id = `tt_${key}`;
      const createdAt = bornHoursAgo === null ? null : hoursAgo(bornHoursAgo);
      const videoKey = builder.video({ id, user, createdAt, known: { at: NOW } });
      for (const [hours, views, source = 'feed'] of refreshes)
        builder.snapshot(videoKey, [hoursAgo(hours), views], source);
    },
    feed: (hours: number, videos: number[]) => {
      const list = { list: 'feed', platform: 'tiktok', period: '24h', total: null } as const;
      const ranks = videos.map((n, i) => ({ rank: i + 1, videoKey: builder.keyOf(`tt_${n}`) }));
      builder.list({ ...list, at: hoursAgo(hours), ranks });
    },
    creatorCall: (handle: string, hours: number) => {
      const request = { kind: 'creator', platform: 'tiktok', handle } as const;
      log.plan(runId, 'creators', [{ request }]);
      addCall.run(runId, requestLine(request), hoursAgo(hours), hoursAgo(hours) + 500);
    },
  };
};

/** Creators by name, and the keys of their videos, newest first. */
const creatorsIn = (lake: Lake, tracked: TrackedVideos) => {
  const { groups, key } = tracked;
  const nameOf = creatorNames(lake, tracked);
  return [...groups.to.keys()].flatMap((group) => {
    const keys = [...key.slice(groups.from[group], groups.to[group])];
    return group < FIRST_CREATOR || keys.length === 0
      ? []
      : [{ ...nameOf(group - FIRST_CREATOR), keys }];
  });
};

test('an empty lake asks for nothing', () => {
  const { lake } = freshLake();
  const input = lakeInput(lake, NOW);
  expect(input.tracked.count).toBe(0);
  expect(chooseCalls({ ...input, now: NOW, calls: 5, callsPerDay: 5 })).toEqual([]);
});

test('reads the last refresh with a count, and one before that is far enough back', () => {
  const { lake, video } = freshLake();
  video(1, 'ana', 100, [
    [50, 10],
    [20.5, 900],
    [20, 1000],
    [3, null],
  ]);
  video(2, null, null, [[10, 5]]);
  video(3, 'ana', 30, [[2, null]]);
  expect([...lastRefreshes(lake, ['tiktok'])]).toEqual([
    [1, hoursAgo(100), hoursAgo(20), 1000, hoursAgo(50), 10],
    [2, hoursAgo(22), hoursAgo(10), 5, null, null],
  ]);
  const { tracked } = lakeInput(lake, NOW);
  expect(tracked.count).toBe(2);
  expect(creatorsIn(lake, tracked)).toEqual([{ platform: 'tiktok', handle: 'ana', keys: [1] }]);
});

test('reads for every video the same as its timeline alone would show', () => {
  const { lake, video } = freshLake();
  const { sqlite } = lake;
  for (let n = 300; n > 0; n--) {
    const timeline = Array.from({ length: 1 + (n % 6) }, (_, i): [number, number | null] => [
      (n % 50) * (i + 1) * 0.7 - (n % 7 === 0 ? 30 : 0), // one in seven begins in the future
      (n + i) % 4 === 0 ? null : n * 100 - i,
    ]);
    video(n, `user ${(n * 31) % 80}`, n % 5 === 0 ? null : 200 + n, timeline);
  }
  sqlite.exec(`
    update video set platform = 'youtube' where key % 3 = 0;
    update video set created_at = null, first_seen_at = null where key % 37 = 0;`);
  const rows = sqlite
    .prepare(
      "select key, coalesce(created_at, first_seen_at - 43200000) as born from video where platform = 'tiktok' order by key",
    )
    .raw()
    .all() as [number, number | null][];
  const counts = sqlite
    .prepare(
      'select observed_at, views from video_snapshot where video_key = ? and views is not null order by observed_at desc',
    )
    .raw();
  const expected = rows.flatMap(([key, born]) => {
    const known = counts.all(key) as [number, number][];
    const [last] = known;
    if (last === undefined) return [];
    const until = born === null ? Number.NaN : last[0] - Math.max(HOUR_MS, (last[0] - born) * 0.09);
    const [at, views] = known.find(([at]) => at <= until) ?? [null, null];
    return [[key, born, ...last, at, views]];
  });
  const read = [...lastRefreshes(lake, ['tiktok'])];
  expect(read).toEqual(expected);
  expect(read.length).toBeGreaterThan(150);
  expect(read.some(([, , lastAt]) => lastAt > NOW)).toBe(true);
  const { tracked } = lakeInput(lake, NOW, ['tiktok']);
  const { from, to } = tracked.groups;
  const slots = [...from.keys()].flatMap((group) =>
    Array.from({ length: (to[group] ?? 0) - (from[group] ?? 0) }, (_, i) => (from[group] ?? 0) + i),
  );
  const columns = slots.map((slot) => [
    tracked.key[slot] ?? 0,
    tracked.createdAt[slot],
    tracked.lastAt[slot],
  ]);
  expect(columns.sort(([a = 0], [b = 0]) => a - b)).toEqual(
    read.map(([key, born, lastAt]) => [key, born ?? 0, lastAt]),
  );
  const usersOf = sqlite.prepare(
    "select user, json_group_array(key order by created_at desc, key) from video where platform = 'tiktok' and key in (select value from json_each(?)) group by user",
  );
  const keys = JSON.stringify(read.map(([key]) => key));
  const byUser = new Map(usersOf.raw().all(keys) as [string, string][]);
  const creators = creatorsIn(lake, tracked);
  expect(creators.length).toBe(byUser.size);
  for (const { handle, keys } of creators)
    expect(keys.toSorted()).toEqual(JSON.parse(byUser.get(handle) ?? '').toSorted());
});

test('walks the videos and their timelines in the order of their keys, sorting nothing', () => {
  const { sqlite } = freshLake().lake;
  const plan = sqlite.prepare(`explain query plan ${REFRESHES}`);
  const steps = plan.all({ platforms: '[]', usualAge: 0, leastGap: 0, leastGapOfAge: 0 }) as {
    detail: string;
  }[];
  const details = steps.map(({ detail }) => detail);
  expect(details).toContain('SCAN v');
  expect(details.filter((detail) => /TEMP B-TREE|MATERIALIZE/.test(detail))).toEqual([]);
  expect(details.filter((detail) => detail.startsWith('SEARCH known '))).toHaveLength(2);
});

test('a list that keeps its videos promises the next refresh, one that changes does not', () => {
  const { lake, video, feed } = freshLake();
  for (const key of [1, 2, 3]) video(key, null, 30, [[10, 100]]);
  feed(30, [1, 2]);
  feed(10, [1, 3]);
  const next = lakeInput(lake, NOW).listRefreshAt;
  expect([1, 2, 3].map((key) => next.get(key))).toEqual([hoursAgo(-10), undefined, hoursAgo(-10)]);
  feed(2, [2]);
  expect(lakeInput(lake, NOW).listRefreshAt).toEqual(new Map());
});

test('calls of programs (`trendlake/client`) teach nothing: what they brought is not in the lake', () => {
  const { lake, video } = freshLake();
  for (let key = 1; key <= 20; key++) video(key, 'ana', 50 + key, [[48, 100]]);
  const before = lakeInput(lake, NOW).showing.chance;
  const addCall = lake.sqlite.prepare(
    "insert into calls (job, request, sent_at, finished_at, status, sender) values ('client', 'GET /creators/tiktok/ana', ?, ?, 200, 'test')",
  );
  for (let call = 0; call < 30; call++) addCall.run(hoursAgo(5) + call, hoursAgo(5) + call + 1);
  expect(lakeInput(lake, NOW).showing.chance).toEqual(before);
});

test('learns what creator calls show from what they showed', () => {
  const { lake, video, creatorCall } = freshLake();
  const before = lakeInput(lake, NOW).showing.chance;
  for (let key = 1; key <= 20; key++)
    video(key, 'ana/ünï', 50 + key, [
      [48, 100],
      ...(key <= 3 ? [[5, 200, 'creator'] as [number, number, SnapshotSource]] : []),
    ]);
  for (let call = 0; call < 30; call++) creatorCall('ana/ünï', 5 + call / 1000);
  const { chance } = lakeInput(lake, NOW).showing;
  for (const rank of [0, 1, 2]) expect(chance[rank]).toBeGreaterThan(before[rank] ?? 1);
  for (const rank of [3, 4, 9]) expect(chance[rank]).toBeLessThan((before[rank] ?? 0) / 3);
});

test('a timeline that brought nothing new is a refresh that saw the same count, for a month', () => {
  const { lake, video, requested } = freshLake();
  const tt = (key: number): Requested => ({ kind: 'growth', id: `tt_${key}`, platform: 'tiktok' });
  for (let key = 1; key <= 6; key++)
    video(key, null, 1000, [
      [990, 50],
      [900, 100],
    ]);
  requested(tt(1), 48, { status: 404, error: 'gone' });
  requested(tt(1), 24, { status: 404, error: 'gone' });
  requested(tt(2), 24, { status: 200, rows: 0 });
  requested(tt(3), 24, { status: 200, rows: 2 }); // its counts stand where they belong
  requested(tt(4), 24, { status: 500, error: 'HTTP 500' });
  requested(tt(5), 24 * 31, { status: 404, error: 'gone' });
  requested(tt(6), -24, { status: 404, error: 'gone' }); // by a clock that was ahead
  video(7, null, 1000, [[100, 50]]);
  requested(tt(7), 200, { status: 200, rows: 0 }); // a list has shown it since
  const { tracked } = lakeInput(lake, NOW);
  const at = new Map([...tracked.key].map((key, slot) => [key, tracked.lastAt[slot]]));
  const hours = [24, 24, 900, 900, 900, 900, 100];
  expect([1, 2, 3, 4, 5, 6, 7].map((key) => at.get(key))).toEqual(hours.map(hoursAgo));
  const stateOf = (key: number) => tracked.state[tracked.key.indexOf(key)];
  expect(stateOf(1)).toBe(stateOf(2));
  expect(stateOf(1)).not.toBe(stateOf(3));
});

test('when a page was requested last is known of every spelling of its creator', () => {
  const { lake, video, requested } = freshLake();
  video(1, 'Ünï', 90, [[80, 100]]);
  video(2, 'ana', 90, [[80, 100]]);
  video(3, 'bo', 90, [[80, 100]]);
  const page = (handle: string): Requested => ({ kind: 'creator', platform: 'tiktok', handle });
  requested(page('@ÜNÏ'), 50, { status: 404, error: 'gone' });
  requested(page('ünï'), 30, { status: 200, rows: 9 });
  requested(page('bo'), 30, { status: 200, error: 'not readable' });
  requested(page('nobody'), 30, { status: 404, error: 'gone' });
  const { pageAt, tracked } = lakeInput(lake, NOW);
  const group = groupOf(tracked.groups, tracked.key.indexOf(1));
  expect([...pageAt]).toEqual([[group, hoursAgo(30)]]);
});

test("the lake's own curves teach, and a choice over them names its reason", () => {
  const { lake, video } = freshLake();
  for (let key = 1; key <= 40; key++) {
    const refreshes = [60, 50, 40, 30].map((h): [number, number] => [
      h,
      key <= 20 ? 6e6 - h * 1e5 : 900,
    ]);
    video(key, `user ${key}`, 62, refreshes);
  }
  video(100, 'new', 3, [[1, 500]]);
  const input = lakeInput(lake, NOW);
  const choices = chooseCalls({ ...input, now: NOW, calls: 10, callsPerDay: 10 });
  expect(choices).toHaveLength(10);
  for (const { reason } of choices) {
    expect(reason.worthHours).toBeGreaterThan(0);
    expect(['due', 'surplus']).toContain(reason.rule);
  }
  const untouched = lakeInput(lake, NOW + DAY_MS); // only reads
  expect(untouched.tracked.count).toBe(41);
});

test('spellings of one handle are one creator', () => {
  const { lake, video, creatorCall } = freshLake();
  // of each two the plain one stands before the other in the index, or after it
  const handles = ['Éva', '@éva', 'E\u0301VA', 'eva', '@', 'éva', 'Ÿx', 'ÿx', 'x', '𝐱'];
  for (const [key, user] of handles.entries()) video(key + 1, user, 30, [[20, 100 + key]]);
  const { tracked } = lakeInput(lake, NOW);
  const platform = 'tiktok';
  const creators = creatorsIn(lake, tracked).sort(
    (a, b) => Math.min(...a.keys) - Math.min(...b.keys),
  );
  expect(creators).toEqual([
    { platform, handle: 'Éva', keys: [1, 2, 3, 6] },
    { platform, handle: 'eva', keys: [4] },
    { platform, handle: 'Ÿx', keys: [7, 8] },
    { platform, handle: 'x', keys: [9, 10] },
  ]);
  creatorCall('@ÉVA', 10);
  video(100, 'Éva', 30, [[10, 200, 'creator']]);
  expect(lakeInput(lake, NOW).showing).not.toEqual(lakeInput(freshLake().lake, NOW).showing);
});
