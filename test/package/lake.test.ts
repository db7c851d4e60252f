import { expect, onTestFinished, test, vi } from 'vitest';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { WORLD_AT } from '../../fixtures/small-world.ts';
import { storeEvents } from '../../src/alerts/events/outbox.ts';
import { saveAlert, saveEvaluation } from '../../src/alerts/rules/alert-store.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { UsageError } from '../../src/base/errors.ts';
import { isoOf } from '../../src/base/iso.ts';
import { openLake as openLakeForWriting } from '../../src/lake/open.ts';
import { addWatch } from '../../src/lake/watches/watches.ts';
import { type Instant, type LakeReader, openLake } from '../../src/public/lake.ts';
import { fillLake, hoursAgo, NOW } from '../serve/filled-lake.ts';
import { putForecasts } from '../serve/made-forecasts.ts';
import { freshFolder } from '../support/fresh.ts';
import { syncOnce } from '../support/sync-once.ts';

const readSynced = async (): Promise<LakeReader> => {
  const upstream = await startFaultyUpstream();
  const dataDir = freshFolder();
  await syncOnce(dataDir, upstream.baseUrl);
  await upstream.close();
  const lake = openLake(dataDir);
  onTestFinished(() => lake.close());
  return lake;
};

test('a synced lake is read as the service would answer, by names alone', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(WORLD_AT + DAY_MS); // `now` is the machine's, which may be set to an earlier day
  const lake = await readSynced();
  const feed = await lake.feed('tiktok', { limit: 2 });
  expect(feed).toMatchObject({ total: 120, asOf: isoOf(WORLD_AT) });
  expect(feed.items.map(({ id, rank }) => [id, rank])).toEqual([
    ['tt_0', 1],
    ['tt_1', 2],
  ]);
  expect((await lake.feed('tiktok', { limit: 2, page: 2 })).items[0]?.id).toBe('tt_2');
  expect((await lake.trends('youtube', 'week')).items).toHaveLength(20);
  expect((await lake.hashtags()).items[0]?.tag).toBeDefined();
  expect(lake.video('tt_0')).toMatchObject({ platform: 'tiktok', views: 120_000 });
  expect(lake.growth('tt_0')?.snapshots.at(-1)).toMatchObject({ views: 120_000 });
  expect(lake.creator('tiktok', '@user0')?.handle).toBe('user0');
  const videos = lake.creator('tiktok', 'user0')?.videos ?? [];
  expect(lake.creator('tiktok', 'user0', { limit: 1, page: 2 })?.videos).toEqual([videos[1]]);
  expect(lake.search('tag3').items.length).toBeGreaterThan(0);
  const young = lake.search('tag3', { dateRange: '2d' }).total;
  expect(young).toBeGreaterThan(0);
  expect(young).toBeLessThan(lake.search('tag3').total);
  expect(lake.events()).toMatchObject({ items: expect.any(Array) });
});

test('every item of a list is iterated once, page by page, as of one instant', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(WORLD_AT + DAY_MS);
  const lake = await readSynced();
  const ids: string[] = [];
  for await (const { id } of lake.each((part) => lake.feed('tiktok', part), { limit: 50 }))
    ids.push(id);
  expect([ids.length, new Set(ids).size]).toEqual([120, 120]);
});

test('a list counts what can be iterated, also past a rejected item', async () => {
  const dataDir = freshFolder();
  const ranks = [1, 2, 4, 5, 6].map((rank) => ({ rank, id: `tt_${rank}` }));
  fillLake(dataDir, (into) => {
    for (const { id } of ranks) into.video({ id, snapshots: [[hoursAgo(2), 9]] });
    const pulled = { list: 'feed', platform: 'tiktok', period: '24h', at: hoursAgo(1) } as const;
    into.pulled({ ...pulled, total: 300, ranks });
  });
  using lake = openLake(dataDir);
  expect(await lake.feed('tiktok', { asOf: NOW })).toMatchObject({ total: 6, matched: 300 });
  const read: number[] = [];
  for await (const { rank } of lake.each((part) => lake.feed('tiktok', part), {
    limit: 2,
    asOf: NOW,
  }))
    read.push(rank ?? 0);
  expect(read).toEqual([1, 2, 4, 5, 6]);
});

test('growth and forecasts have what was forecast', () => {
  const dataDir = freshFolder();
  fillLake(dataDir, (into) => {
    into.video({
      id: 'tt_1',
      snapshots: [
        [hoursAgo(5), 9],
        [hoursAgo(2), 10],
      ],
    });
  });
  const views = { 24: [200, 100, 400] } as const;
  putForecasts(dataDir, 'tiktok', [{ id: 'tt_1', at: hoursAgo(2), top: 0.4, views }]);
  const lake = openLake(dataDir);
  onTestFinished(() => lake.close());
  expect(lake.growth('tt_1', { asOf: NOW })?.forecast).toMatchObject({ topProbability: 0.4 });
  const next = lake.forecasts('tiktok', { asOf: NOW });
  expect(next).toMatchObject({ total: 1, items: [{ id: 'tt_1', rank: 1, gain24h: 190 }] });
  expect(lake.forecasts('tiktok', { asOf: NOW, list: 'risen' }).items).toEqual([]);
});

test('an invalid name, an empty search and a closed lake are refused in words', async () => {
  const dataDir = freshFolder();
  fillLake(dataDir, () => {});
  const lake = openLake(dataDir);
  expect(() => lake.events({ kind: 'x' as 'trend.spike' })).toThrow(
    /kind must be one of trend\.spike/,
  );
  expect(() => lake.search(' ')).toThrow(UsageError);
  lake.close();
  lake.close();
  expect(() => lake.video('tt_1')).toThrow(/was closed/);
  await expect(lake.feed('tiktok')).rejects.toThrow(/was closed/);
});

test('events since an instant', () => {
  const dataDir = freshFolder();
  fillLake(dataDir, (into) => {
    for (const hours of [5, 3, 1])
      into.event({
        id: `evt_${hours}`,
        kind: 'trend.spike',
        platform: 'tiktok',
        at: hoursAgo(hours),
      });
  });
  using lake = openLake(dataDir);
  const since = (at: Instant) => lake.events({ since: at, asOf: NOW }).items.map(({ id }) => id);
  expect(since(hoursAgo(3))).toEqual(['evt_1', 'evt_3']);
  expect(since(new Date(hoursAgo(2)))).toEqual(['evt_1']);
  expect(since(isoOf(NOW))).toEqual([]);
});

test('events are typed by their kind, with the id of their subject', () => {
  const dataDir = freshFolder();
  const evidence = { looks: 7, expectedViewsPerHour: 3, gain: 500 };
  fillLake(dataDir, () => {});
  const writer = openLakeForWriting(dataDir);
  const told = (['trendlake', 'upstream'] as const).map((origin) => ({
    id: `evt_${origin}`,
    kind: 'trend.spike' as const,
    platform: 'tiktok' as const,
    origin,
    occurredAt: hoursAgo(1),
    subject: 'video:tt_7',
    data: { evidence },
  }));
  storeEvents(writer, told, { now: hoursAgo(1) });
  writer.close();
  using lake = openLake(dataDir);
  const { items } = lake.events({ kind: 'trend.spike', asOf: NOW });
  expect(items.map(({ origin, subjectId }) => [origin, subjectId])).toEqual([
    ['trendlake', 'tt_7'],
    ['upstream', 'tt_7'],
  ]);
  for (const event of items) {
    if (event.origin === 'upstream') expect(event.data).toMatchObject({ evidence });
    else if (event.data.evidence.rule === 'pace') {
      const { gain, snapshots } = event.data.evidence satisfies { gain: number };
      expect([gain, snapshots]).toEqual([500, 7]); // version 0.1.0 named neither rule nor snapshots
    } else expect.unreachable(event.data.evidence.rule);
  }
});

test('watches, alerts and the rows that fired', async () => {
  const dataDir = freshFolder();
  fillLake(dataDir, () => {});
  const writer = openLakeForWriting(dataDir);
  const every = { everyMs: DAY_MS, note: null, until: null };
  for (const [subject, tag] of [
    ['ada', 'acme'],
    ['bob', 'globex'],
  ] as const)
    addWatch(writer, { ...every, kind: 'creator', platform: 'tiktok', subject, tags: [tag] }, NOW);
  const targets = ['smtps://user:hunter2@mail.example/?to=a@b.example'];
  saveAlert(writer, { name: 'big', sql: 'select 1 as subject', targets, cooldownMs: 1 }, NOW);
  const hits = [1, 2, 3].map((hours) => ({
    name: 'big',
    subject: `s${hours}`,
    at: NOW - hours,
    row: { views: hours },
  }));
  saveEvaluation(writer, 'big', { fired: hits, subjects: [], targets: [] }, NOW);
  writer.close();
  using lake = openLake(dataDir);
  expect(lake.watches({ tag: 'ACME' })).toMatchObject([
    { kind: 'creator', subject: 'ada', tags: ['acme'], lastAt: null, nextAt: isoOf(NOW) },
  ]);
  expect(lake.watches()).toHaveLength(2);
  const alerts = lake.alerts();
  expect(alerts).toMatchObject([{ name: 'big', evaluatedAt: isoOf(NOW), failure: null }]);
  expect(JSON.stringify(alerts)).not.toContain('hunter2');
  expect(lake.alertHits({ name: 'big', asOf: NOW - 2 })).toMatchObject({ total: 2 });
  const read: string[] = [];
  for await (const { subject } of lake.each((part) => lake.alertHits(part), {
    limit: 2,
    asOf: NOW,
  }))
    read.push(subject);
  expect(read).toEqual(['s1', 's2', 's3']);
});

test('as of a past instant it returns what was known then', async () => {
  const lake = await readSynced();
  const before = { asOf: new Date(WORLD_AT - 366 * DAY_MS) };
  expect((await lake.feed('tiktok', before)).items).toEqual([]);
  expect(lake.video('tt_0', before)).toBeUndefined();
  expect(lake.growth('tt_0', before)).toBeUndefined();
  expect(lake.creator('tiktok', 'user0', before)).toBeUndefined();
  expect(lake.search('tag3', before).items).toEqual([]);
});

test('what cannot be right is refused in words', async () => {
  const lake = await readSynced();
  await expect(lake.feed('tiktok', { dateRange: 'yesterday' })).rejects.toThrow(/such as 24h/);
  await expect(lake.feed('myspace' as 'tiktok')).rejects.toThrow(/one of tiktok/);
  await expect(lake.trends('tiktok', 'year' as 'week')).rejects.toThrow(/one of day, week, month/);
  await expect(lake.feed('tiktok', { page: 0 })).rejects.toThrow(/whole number from 1/);
  expect(() => lake.video('tt_0', { asOf: 'tomorrow' })).toThrow(UsageError);
  expect(() => lake.events({ since: 'tomorrow' })).toThrow(/since must be ISO 8601/);
  expect(() => lake.search('tag3', { dateRange: 'ever' })).toThrow(/such as 24h/);
  expect(() => openLake(freshFolder())).toThrow(/no lake at/);
});
