import { expect, onTestFinished, test } from 'vitest';
import * as faults from '../../../fixtures/faults.ts';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { JOBS } from '../../../jobs/all-jobs.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { freshFolder } from '../../support/fresh.ts';
import { type SyncOptions, syncOnce } from '../../support/sync-once.ts';
import { openTestLake } from '../../support/test-lake.ts';

const prepared = async (faulty: Parameters<typeof startFaultyUpstream>[0] = []) => {
  const upstream = await startFaultyUpstream(faulty);
  const dataDir = freshFolder();
  const lake = openTestLake(dataDir);
  onTestFinished(async () => {
    lake.close();
    await upstream.close();
  });
  const config = { growthCalls: '6', creatorCalls: '4' };
  /** Syncs with the product's own jobs; the refreshes it made, `[request, rule]`. */
  const refreshes = async (options: SyncOptions = {}) => {
    const { summary } = await syncOnce(dataDir, upstream.baseUrl, {
      lake,
      config,
      jobs: JOBS,
      ...options,
    });
    expect(summary.outcome).toBe('complete');
    return lake.sqlite
      .prepare(
        `select request, reason ->> 'rule' from run_items
         where run_id = ? and job in ('growth', 'creators') order by position`,
      )
      .raw()
      .all(summary.runId) as [request: string, rule: string][];
  };
  return { lake, refreshes };
};
const isTimeline = ([request]: [string, string]) => request.endsWith('/growth');

test('shares one budget between both jobs, with a reason for every refresh', async () => {
  const { refreshes } = await prepared();
  const first = await refreshes();
  expect(first).toHaveLength(10);
  expect(first.filter(isTimeline).length).toBeGreaterThan(0);
  expect(first.filter(isTimeline).length).toBeLessThan(10);
  expect(new Set(first.map(([request]) => request)).size).toBe(10);
  for (const [, rule] of first)
    expect(rule).toMatch(/^(due|surplus|first timeline|first profile)$/);
});

test('refreshes nothing again within the hour while the lists do not change', async () => {
  const { refreshes } = await prepared();
  await refreshes();
  expect(await refreshes()).toEqual([]);
  const clock = virtualClock(WORLD_AT + 61 * 60_000);
  expect((await refreshes({ only: ['growth', 'creators'], clock })).length).toBeGreaterThan(0);
});

test('requests a profile once for all spellings of its handle', async () => {
  const fault = faults.rewrite((body) => ({
    ...body,
    items: body.items.map((item, n) => ({
      ...item,
      user: [`@${item.user}`, `${item.user}`.toUpperCase(), item.user][n % 3],
    })),
  }));
  const { refreshes } = await prepared([
    { fault, times: Number.POSITIVE_INFINITY, on: /feed|trends/ },
  ]);
  const firstProfiles = async (options: SyncOptions = {}) =>
    (await refreshes(options)).filter(([, rule]) => rule === 'first profile');
  const asked = await firstProfiles();
  expect(asked.length).toBeGreaterThan(0);
  const creators = asked.map(([request]) => request.toLowerCase().replace(/@|%40/, ''));
  expect(new Set(creators).size).toBe(creators.length);
  const clock = virtualClock(WORLD_AT + 61 * 60_000);
  const later = await firstProfiles({ only: ['growth', 'creators'], clock });
  expect(
    later.filter(([request]) => creators.includes(request.toLowerCase().replace(/@|%40/, ''))),
  ).toEqual([]);
});

test('does not repeat a request without a result in the next run', async () => {
  const EVER = Number.POSITIVE_INFINITY;
  const another = faults.rewrite((body) => ({ ...body, handle: 'another' }));
  const nothing = faults.rewrite((body) => ({ ...body, snapshots: [] }));
  const { refreshes } = await prepared([
    { fault: another, times: EVER, on: /creators.tiktok/ },
    { fault: faults.status(404), times: EVER, on: /creators.youtube/ },
    { fault: nothing, times: EVER, on: /videos.tt.*growth/ },
    { fault: faults.status(404), times: EVER, on: /videos.yt.*growth/ },
  ]);
  const nights = [await refreshes()];
  const soon = await refreshes({ only: ['growth'], clock: virtualClock(WORLD_AT + HOUR_MS) });
  for (const night of [1, 2]) {
    const clock = virtualClock(WORLD_AT + night * DAY_MS);
    nights.push(await refreshes({ only: ['growth', 'creators'], clock }));
  }
  const first = [...nights.flat(), ...soon].filter(([, rule]) => rule.startsWith('first'));
  expect(new Set(first.map(([request]) => request)).size).toBe(first.length);
  const [, second = [], third = []] = nights.map((made) => made.map(([request]) => request));
  expect(second).toHaveLength(10);
  expect(third).toHaveLength(10);
  expect(third.filter((request) => second.includes(request))).toEqual([]);
});

test.each([
  ['growth', 6, true],
  ['creators', 4, false],
] as const)('a run of %s alone spends its calls on nothing else', async (job, calls, timelines) => {
  const { refreshes } = await prepared();
  expect(await refreshes({ only: ['feed', 'trends'] })).toEqual([]);
  const made = await refreshes({ only: [job] });
  expect(made).toHaveLength(calls);
  expect(made.every((refresh) => isTimeline(refresh) === timelines)).toBe(true);
});

test('puts subjects of upstream events first, and keeps them until a run has calls', async () => {
  const { lake, refreshes } = await prepared();
  const want = lake.sqlite.prepare(
    `insert into wanted_subjects (platform, subject, event_id, wanted_at) values (?, ?, 'e', ?)`,
  );
  want.run('tiktok', 'video:tt_111', 1);
  want.run('youtube', 'creator:user7', 2);
  await refreshes({ only: ['feed'] });
  const rule = 'event of the upstream';
  expect((await refreshes({ only: ['growth'] }))[0]).toEqual(['GET /videos/tt_111/growth', rule]);
  expect(await refreshes({ only: ['creators'] })).toEqual([['GET /creators/youtube/user7', rule]]);
});

test('serves wanted creators even if wanted videos have no calls', async () => {
  const { lake, refreshes } = await prepared();
  const want = lake.sqlite.prepare(
    `insert into wanted_subjects (platform, subject, event_id, wanted_at) values (?, ?, 'e', ?)`,
  );
  for (const i of Array(20).keys()) {
    want.run('tiktok', `video:tt_11${i}`, i);
    want.run('', `hashtag:tag${i}`, i);
  }
  want.run('youtube', 'creator:user7', 100);
  expect((await refreshes({ only: ['creators'] }))[0]).toEqual([
    'GET /creators/youtube/user7',
    'event of the upstream',
  ]);
  const waiting = lake.sqlite.prepare(
    `select count(*), min(subject glob 'video:*') from wanted_subjects where taken_at is null`,
  );
  expect(waiting.raw().get()).toEqual([20, 1]);
});

test.each([404, 410, 451])('a video that answered %i is not asked for again', async (status) => {
  const EVER = Number.POSITIVE_INFINITY;
  const { lake, refreshes } = await prepared([
    { fault: faults.status(status), times: EVER, on: /videos.*growth/ },
  ]);
  const isTimelineRequest = ([request]: readonly string[]) => request?.includes('/growth') === true;
  const first = (await refreshes()).filter(isTimelineRequest).map(([request]) => request);
  expect(first.length).toBeGreaterThan(0);
  const states = lake.sqlite.prepare("select distinct state from run_items where job = 'growth'");
  expect(states.pluck().all()).toEqual(['skipped']);
  const later: string[] = [];
  for (const night of [1, 2, 3]) {
    const clock = virtualClock(WORLD_AT + night * DAY_MS);
    const made = await refreshes({ only: ['growth'], clock });
    later.push(...made.map(([request]) => request));
  }
  expect(later.filter((request) => first.includes(request))).toEqual([]);
});
