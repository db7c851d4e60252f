import Database from 'better-sqlite3';
import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { PLATFORMS } from '../../schema/vocabulary.ts';
import { systemClock } from '../../src/base/clock.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { HeavyReads } from '../../src/serve/cache/heavy-reads.ts';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';
import { KEYLESS } from '../../src/serve/cache/reader-threads.ts';
import { startService } from '../../src/serve/service.ts';
import { draws } from '../support/draws.ts';
import { fillLake, freshFolder, hoursAgo, NOW } from './filled-lake.ts';
import { fillWith, madeVideos } from './made-videos.ts';
import { type Running, runService } from './running.ts';

/** Statements that count a few rows, or find one by an index. */
const IS_GLANCE = /limit (\?|@most|1)\)?$|^select (?:coalesce\()?max\(|^pragma data_version$/;
const EVERYTHING = 1_000_000_000;
const NOTHING = -1;
const fill: Parameters<typeof runService>[0] = (into) => {
  const [many = []] = fc.sample(fc.array(madeVideos, { minLength: 4, maxLength: 4 }), {
    numRuns: 1,
    seed: 7,
  });
  fillWith(into, many.flat());
  for (const [i, platform] of PLATFORMS.entries()) {
    into.event({ id: `evt_${i}`, kind: 'trend.spike', platform, at: hoursAgo(3 * i) });
    into.creator({
      platform,
      handle: `maker${i}`,
      snapshots: [9, 2].map((days) => [hoursAgo(24 * days), 5000 - (i + 1) * days]),
    });
  }
};

const instant = fc
  .option(fc.integer({ min: -5, max: 24 * 70 }), { nil: undefined })
  .map((hours) => (hours === undefined ? '' : `&asOf=${new Date(hoursAgo(hours)).toISOString()}`));
const platform = fc.constantFrom('tiktok', 'instagram', 'youtube');
const range = fc.constantFrom('1h', '24h', '7d', '30d', '366d');
const paging = fc
  .tuple(fc.integer({ min: 1, max: 100 }), fc.constantFrom(1, 2, 3, 1_000_000))
  .map(([limit, page]) => `limit=${limit}&page=${page}`);
const kind = fc.constantFrom('', '&kind=trend.spike', '&kind=hashtag.rising');
const words = fc.constantFrom('words', 'tt', 'number -3', '"about yt"', 'w* n*', '-x', 'none');
const address = fc.oneof(
  fc
    .tuple(platform, range, paging, instant)
    .map(([name, window, part, at]) => `/feed/${name}?dateRange=${window}&${part}${at}`),
  fc
    .tuple(platform, fc.constantFrom('day', 'week', 'month'), paging, instant)
    .map(([name, period, part, at]) => `/trends/${name}/${period}?${part}${at}`),
  fc
    .tuple(fc.option(platform), range, paging, instant)
    .map(
      ([name, window, part, at]) =>
        `/hashtags?dateRange=${window}&${part}${at}${name === null ? '' : `&platform=${name}`}`,
    ),
  fc
    .tuple(fc.option(platform), kind, paging, instant)
    .map(
      ([name, of, part, at]) =>
        `/events?${part}${of}${at}${name === null ? '' : `&platform=${name}`}`,
    ),
  fc
    .tuple(words, fc.option(range), paging, instant)
    .map(
      ([q, window, part, at]) =>
        `/search?q=${encodeURIComponent(q)}&${part}${at}${window === null ? '' : `&dateRange=${window}`}`,
    ),
);

describe('what is read elsewhere', () => {
  let here: Running;
  let elsewhere: Running;
  beforeAll(async () => {
    here = await runService(fill, { readLimits: { rowsHere: EVERYTHING } });
    elsewhere = await runService(fill, { readLimits: { rowsHere: NOTHING } });
  });

  test('is, byte for byte, what is read here', async () => {
    await fc.assert(
      fc.asyncProperty(address, async (path) => {
        const [ours, theirs] = await Promise.all([here.get(path), elsewhere.get(path)]);
        expect(theirs.status).toBe(200);
        expect(theirs.text).toBe(ours.text);
      }),
      { numRuns: draws(150) },
    );
  });

  test('makes the same dashboard', async () => {
    const [ours, theirs] = await Promise.all(
      [here, elsewhere].map(async ({ service }) => (await fetch(service.dashboard)).text()),
    );
    const version = /data-version="\w+\.\d+"/; // begins with the start of the service
    expect(ours).toMatch(version);
    expect(theirs?.replace(version, '')).toBe(ours?.replace(version, ''));
  });

  test('does not delay reads on the main thread', async () => {
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const busy = await runService(fill, { readLimits: { rowsHere: NOTHING, queueMost: 20 } });
    const lists = Array.from({ length: 20 }, (_, days) =>
      busy.get(`/feed/tiktok?dateRange=${days + 300}d`).then(note('list')),
    ); // a thread is started for them, and answers one after another
    await busy.get('/usage').then(note('usage'));
    await fetch(busy.service.url.replace(/\/v1$/, '/health')).then(note('health'));
    await Promise.all(lists);
    expect(order.toSorted()).toEqual(['health', ...lists.map(() => 'list'), 'usage']);
    expect(order.at(-1)).toBe('list');
  });
});

test('what a page reads is read in a thread, however small the lake', async () => {
  const { dataDir, remove } = freshFolder();
  fillLake(dataDir, fill);
  const lake = openLakeForReading(dataDir);
  const reads = new HeavyReads(lake, {
    cache: new LakeCache(1e7),
    clock: systemClock,
    limits: { rowsHere: EVERYTHING },
  });
  const gone = () => new AbortController().signal;
  const [asOf, paging] = [NOW, { limit: 2, page: 1 }];
  const by = { owner: KEYLESS, unwanted: gone(), isPage: true };
  const whole = { from: 0, count: 2, gone, asOf, owner: KEYLESS, isPage: true };
  const prepare = vi.spyOn(lake.sqlite, 'prepare');
  const wanted = { list: 'feed', platform: 'tiktok', windowMs: 60 * DAY_MS } as const;
  expect((await reads.lists.part({ ...whole, wanted })).total).toBeGreaterThan(0);
  const words = { q: 'words', platform: undefined, windowMs: undefined, gone };
  await reads.search({ ...words, ...paging, asOf, owner: KEYLESS, isPage: true });
  expect((await reads.read('events', { ...paging, asOf }, by)).total).toBe(3);
  expect((await reads.read('creators', { ...paging, list: 'rising', asOf }, by)).total).toBe(3);
  expect(await reads.read('findings', { id: 'tt_none', asOf }, by)).toBeUndefined();
  await reads.read(
    'forecasts',
    { platform: 'tiktok', hours: 24, at: asOf, limit: 2, tagsOf: [] },
    by,
  );
  const statements = prepare.mock.calls.map(([sql]) => sql.replaceAll(/\s+/g, ' '));
  expect(statements.filter((sql) => !IS_GLANCE.test(sql))).toEqual([]);
  await reads.close();
  lake.close();
  remove();
});

test('the pages of a creator and of a hashtag read their videos and their past in a thread', async () => {
  const { service } = await runService((into) => {
    into.video({ id: 'tt_1', user: 'maker', tags: ['tag'], snapshots: [[hoursAgo(2), 5]] });
    into.creator({ platform: 'tiktok', handle: 'maker', snapshots: [[hoursAgo(3), 9]] });
  });
  const prepare = vi.spyOn(Database.prototype, 'prepare');
  for (const path of ['creators/tiktok/maker', 'hashtags/tag', 'hashtags/tag?format=csv'])
    expect((await fetch(service.dashboard + path)).status).toBe(200);
  const statements = prepare.mock.calls.map(([sql]) => sql.replaceAll(/\s+/g, ' '));
  prepare.mockRestore();
  const long =
    /with named as|from creator_snapshot where creator_key|json_each\(@keys\)|from hashtag_snapshot where hashtag_key/;
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.filter((sql) => long.test(sql))).toEqual([]);
});

test.each([
  ['elsewhere', NOTHING],
  ['here', EVERYTHING],
])('events and findings are read %s', async (where, rowsHere) => {
  const { dataDir, remove } = freshFolder();
  fillLake(dataDir, fill);
  const lake = openLakeForReading(dataDir);
  const prepare = vi.spyOn(lake.sqlite, 'prepare');
  const reads = new HeavyReads(lake, {
    cache: new LakeCache(1e7),
    clock: systemClock,
    limits: { rowsHere },
  });
  const [by, paging] = [{ owner: 'key_1', unwanted: new AbortController().signal }, { page: 1 }];
  const events = await reads.read('events', { ...paging, limit: 2, asOf: NOW }, by);
  expect([events.total, events.items.length]).toEqual([3, 2]);
  const statements = prepare.mock.calls.map(([sql]) => sql);
  const whole = statements.filter((sql) => !/ limit (\?|@most)\)$/.test(sql));
  expect(whole.length > 0).toBe(where === 'here');
  const id = lake.sqlite.prepare('select id from video limit 1').pluck().get() as string;
  prepare.mockClear();
  expect((await reads.read('findings', { id, asOf: NOW }, by))?.subject.id).toBe(id);
  expect(prepare.mock.calls.length > 1).toBe(where === 'here');
  await reads.close();
  lake.close();
  remove();
});

test('a large lake analyses videos in a thread, with the same result', async () => {
  const pages = [EVERYTHING, NOTHING].map(async (rowsHere) => {
    const running = await runService(fill, { readLimits: { rowsHere } });
    const list = await running.get('/feed/tiktok?dateRange=366d&limit=1');
    const id = list.body.items[0]?.id;
    const page = await (await fetch(running.service.url.replace(/v1$/, `videos/${id}`))).text();
    return page.replace(/data-version="\w+\.\d+"/, '');
  });
  const [ours, theirs] = await Promise.all(pages);
  expect(ours).toContain('Why');
  expect(theirs).toBe(ours);
});

test('too many long reads at once: 503 that says when to come back', async () => {
  const running = await runService(fill, { readLimits: { rowsHere: NOTHING, queueMost: 1 } });
  const got = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((days) => running.get(`/feed/tiktok?dateRange=${days}d`)),
  );
  const refused = got.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body, headers } of refused) {
    expect([status, body.type]).toEqual([503, '/problems/unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(headers.get('ratelimit')).toContain('"minute"');
  }
});

test('a read that takes too long is a 503; the next one is answered', async () => {
  const alarms: (() => void)[] = [];
  const running = await runService(fill, {
    readLimits: {
      rowsHere: NOTHING,
      deadlineMs: 11_000,
      clock: {
        ...systemClock,
        sleep: (ms) =>
          new Promise((resolve) => {
            if (ms === 11_000) alarms.push(resolve);
            if (alarms.length === 1) resolve(); // the first deadline is over at once
          }),
      },
    },
  });
  const late = await running.get('/search?q=words');
  expect([late.status, late.body.type]).toEqual([503, '/problems/unavailable']);
  expect(late.body.detail).toContain('longer than 11 s');
  expect((await running.get('/search?q=words')).status).toBe(200);
});

test('a key may spend its minute at once on different lists', async () => {
  const running = await runService(fill, { readLimits: { rowsHere: NOTHING } });
  const asked = Array.from({ length: 60 }, (_, hours) =>
    running.get(`/feed/tiktok?dateRange=${hours + 1}h`),
  );
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('the service stops while a long read is under way', async () => {
  const running = await runService(fill);
  const reported: string[] = [];
  const service = await startService({
    dataDir: running.dataDir,
    clock: running.clock,
    machine: systemClock,
    report: (line) => void reported.push(line),
    readLimits: { rowsHere: NOTHING },
  });
  const leaving = new AbortController();
  const asked = fetch(`${service.url}/hashtags?dateRange=366d`, {
    headers: { authorization: `Bearer ${running.key}` },
    signal: leaving.signal,
  }).catch(() => 'gone');
  await running.get('/usage');
  leaving.abort();
  await service.close();
  expect(await asked).toBe('gone');
  expect(reported).toEqual([]);
});

test('a lake of many snapshots is read elsewhere as it comes, and is seen to grow', async () => {
  const running = await runService((into) => {
    for (let key = 0; key < 120; key++)
      into.video({
        id: `tt_${key}`,
        snapshots: Array.from({ length: 100 }, (_, hour) => [
          hoursAgo(100 - hour),
          key * hour,
          hour,
        ]),
      });
  });
  const path = '/feed/tiktok?dateRange=366d&limit=1';
  expect((await running.get(path)).body.total).toBe(120);
  fillLake(running.dataDir, (into) => into.video({ id: 'tt_new', snapshots: [[hoursAgo(1), 5]] }));
  const { body } = await running.get('/feed/tiktok?dateRange=365d&limit=1');
  expect(body.total).toBe(121);
});
