import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { computeList, type ListRowsQuery } from '../../src/lake/lists/computed-list.ts';
import type { PartQuery } from '../../src/lake/lists/list-page.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';
import { ListCache } from '../../src/serve/cache/list-cache.ts';
import { freshFolder, freshLake } from '../support/fresh.ts';
import { filler, hoursAgo, NOW } from './filled-lake.ts';

/** Bytes of a cache in which there is room for all. */
const ROOMY = 1e7;
const wanted = { list: 'feed', platform: 'tiktok', windowMs: DAY_MS } as const;
const now = (asOf: number, more: Partial<PartQuery<typeof wanted>> = {}) => ({
  wanted,
  asOf,
  isNow: true,
  from: 0,
  count: 10,
  owner: 'key_1',
  ...more,
});

/** Lists over a lake of one video; each computation says that it cost `costMs`, and waits for `release`. */
const listsOf = (costMs: number | null, meanwhile: () => void = () => {}, bytes = ROOMY) => {
  const dataDir = freshFolder();
  const writer = freshLake(dataDir);
  const write = (id: string, at: number) => filler(writer).video({ id, snapshots: [[at, 5]] });
  write('tt_1', hoursAgo(1));
  const lake = openLakeForReading(dataDir);
  const clock = { at: 0, monotonic: () => clock.at };
  const computed: ListRowsQuery[] = [];
  const waiting: (() => void)[] = [];
  let failure: Error | undefined;
  const lists = new ListCache(
    lake,
    async (ask) => {
      computed.push(ask);
      if (failure !== undefined) throw failure;
      const list = computeList(lake, ask, clock);
      meanwhile();
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { ...list, costMs };
    },
    { clock, cache: new LakeCache(bytes) },
  );
  const release = (): void => {
    for (const go of waiting.splice(0)) go();
  };
  const get = async (ask: PartQuery<typeof wanted>) => {
    const part = lists.part(ask);
    release();
    return part;
  };
  const fail = (): void => {
    failure = new Error('disk I/O error');
  };
  return { lists, get, release, fail, write, computed, clock };
};

test('equal lists wanted at the same time are computed once, other parts of them too', async () => {
  const { lists, release, computed } = listsOf(null);
  const wanted = [
    now(NOW),
    now(NOW + 1),
    now(NOW + 2, { from: 1, count: 1 }),
    now(NOW + 3, { count: 1 }),
  ].map((ask) => lists.part(ask));
  release();
  const got = await Promise.all(wanted);
  expect(computed).toHaveLength(1);
  expect(got.map(({ total, items, asOf }) => [total, items.length, asOf - NOW])).toEqual([
    [1, 1, 0],
    [1, 1, 1],
    [1, 0, 2],
    [1, 1, 3],
  ]);
});

test('a list of an instant is not given to whoever asks for the present', async () => {
  const { get, computed } = listsOf(1000);
  await get(now(NOW - DAY_MS, { isNow: false }));
  const { total, asOf } = await get(now(NOW));
  expect([computed.length, total, asOf]).toEqual([2, 1, NOW]);
});

test('a cheap list is never older than the lake or the clock', async () => {
  const { get, write, computed } = listsOf(null);
  await get(now(NOW));
  expect((await get(now(NOW + 5))).asOf).toBe(NOW + 5);
  expect(computed).toHaveLength(1);
  write('tt_2', hoursAgo(1));
  expect((await get(now(NOW + 6))).total).toBe(2);
  expect((await get(now(NOW + DAY_MS))).total).toBe(0);
  expect(computed).toHaveLength(3);
});

test('a costly list stays for twenty times its cost and says of when it is', async () => {
  const { get, write, computed, clock } = listsOf(1000);
  write('tt_soon', NOW + 10);
  await get(now(NOW));
  write('tt_2', hoursAgo(1));
  expect(await get(now(NOW + 50))).toMatchObject({ total: 1, asOf: NOW, isStale: true });
  expect(await get(now(NOW + 50, { isNow: false }))).toMatchObject({ total: 3, asOf: NOW + 50 });
  expect(computed).toHaveLength(2);
  write('tt_3', hoursAgo(1));
  expect(await get(now(NOW + 60))).toMatchObject({ total: 3, asOf: NOW + 50, isStale: true });
  clock.at += 20_000;
  expect(await get(now(NOW + 70))).toMatchObject({ total: 4, asOf: NOW + 70, isStale: false });
  expect(computed).toHaveLength(3);
});

test.each([
  [59_999, { total: 1, asOf: NOW, isStale: true }],
  [60_000, { total: 2, asOf: NOW + 60_000, isStale: false }],
])('a costly list stays for a minute where only the clock moved on: %i ms', async (ms, given) => {
  const { get, write, clock } = listsOf(10);
  write('tt_soon', NOW + 5000);
  await get(now(NOW));
  clock.at += ms;
  expect(await get(now(NOW + ms))).toMatchObject(given);
});

test('a costly list is not given a day later where only the clock of the day went on', async () => {
  const { get, write, computed } = listsOf(1000);
  const ofMonth = { wanted: { ...wanted, windowMs: 30 * DAY_MS } };
  await get(now(NOW, ofMonth));
  write('tt_2', NOW + DAY_MS);
  const later = NOW + DAY_MS + 20_000;
  expect(await get(now(later, ofMonth))).toMatchObject({ asOf: later, isStale: false });
  expect(computed).toHaveLength(2);
});

test('a costly list that is asked for is computed ahead, once, so that nobody waits for it', async () => {
  const { lists, get, release, write, computed, clock } = listsOf(1000);
  await get(now(NOW));
  write('tt_2', hoursAgo(1));
  clock.at += 9_999;
  await lists.part(now(NOW + 1));
  expect(computed).toHaveLength(1);
  clock.at += 1;
  const given = await Promise.all([lists.part(now(NOW + 2)), lists.part(now(NOW + 3))]);
  expect(given).toMatchObject([{ total: 1, asOf: NOW }, { asOf: NOW }]);
  expect(computed).toHaveLength(2);
  release();
  await new Promise(setImmediate);
  expect(await lists.part(now(NOW + 4))).toMatchObject({ total: 2, asOf: NOW + 4, isStale: false });
  expect(computed).toHaveLength(2);
});

test('if precomputing fails, the request gets the stale list, and the next one that waits gets the error', async () => {
  const { lists, get, write, clock, fail } = listsOf(1000);
  await get(now(NOW));
  write('tt_2', hoursAgo(1));
  fail();
  clock.at += 10_000;
  expect(await lists.part(now(NOW + 1))).toMatchObject({ total: 1 });
  clock.at += 10_000;
  await expect(lists.part(now(NOW + 2))).rejects.toThrow('disk I/O error');
});

test('a list computed while the lake was written to is given, and never taken for the newer lake', async () => {
  const write: { now?: () => void } = {};
  const { get, computed, ...lake } = listsOf(null, () => write.now?.());
  write.now = () => {
    lake.write('tt_2', hoursAgo(1));
    write.now = () => {};
  };
  expect(await get(now(NOW))).toMatchObject({ total: 1, isStale: true });
  expect(await get(now(NOW))).toMatchObject({ total: 2, isStale: false });
  expect(computed).toHaveLength(2);
});

test('a list that nobody waits for any more is kept when it was under way', async () => {
  const { lists, release, computed } = listsOf(null);
  const leaving = new AbortController();
  const part = lists.part(now(NOW, { gone: () => leaving.signal }));
  leaving.abort(new Error('gone'));
  await expect(part).rejects.toThrow('client closed');
  release();
  expect(await lists.part(now(NOW))).toMatchObject({ total: 1 });
  expect(computed).toHaveLength(1);
});

test('the lists asked longest ago go first', async () => {
  const { get, computed } = listsOf(null, () => {}, 3000); // of one video each: some
  const ofDays = (days: number) => now(NOW, { wanted: { ...wanted, windowMs: days * DAY_MS } });
  for (let days = 1; days <= 20; days++) {
    await get(ofDays(days));
    await get(ofDays(1));
  }
  expect(computed).toHaveLength(20);
  await get(ofDays(20));
  expect(computed).toHaveLength(20);
  await get(ofDays(2));
  expect(computed).toHaveLength(21);
});

test('computing that failed is not kept', async () => {
  const dataDir = freshFolder();
  const writer = freshLake(dataDir);
  const failing = [true, false];
  const lists = new ListCache(
    writer,
    (ask) => {
      if (failing.shift()) throw new Error('no');
      return computeList(writer, ask, systemClock);
    },
    { clock: systemClock, cache: new LakeCache(ROOMY) },
  );
  await expect(lists.part(now(NOW))).rejects.toThrow('no');
  expect((await lists.part(now(NOW))).total).toBe(0);
});
