import { expect, test } from 'vitest';
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
  from: 0,
  count: 10,
  owner: 'key_1',
  ...more,
});

/** Lists over a lake of one video. Each computation waits for `release`. */
const listsOf = (meanwhile: () => void = () => {}, bytes = ROOMY) => {
  const dataDir = freshFolder();
  const writer = freshLake(dataDir);
  const write = (id: string, at: number) => filler(writer).video({ id, snapshots: [[at, 5]] });
  write('tt_1', hoursAgo(1));
  const lake = openLakeForReading(dataDir);
  const computed: ListRowsQuery[] = [];
  const waiting: (() => void)[] = [];
  const lists = new ListCache(
    lake,
    async (ask) => {
      computed.push(ask);
      const list = computeList(lake, ask);
      meanwhile();
      await new Promise<void>((resolve) => waiting.push(resolve));
      return list;
    },
    new LakeCache(bytes),
  );
  const release = (): void => {
    for (const go of waiting.splice(0)) go();
  };
  const get = async (ask: PartQuery<typeof wanted>) => {
    const part = lists.part(ask);
    release();
    return part;
  };
  return { lists, get, release, write, computed };
};

test('equal lists wanted at the same time are computed once, other parts of them too', async () => {
  const { lists, release, computed } = listsOf();
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

test('a list of another instant is not given if a snapshot came between', async () => {
  const { get, computed } = listsOf();
  await get(now(NOW - DAY_MS));
  const { total, asOf } = await get(now(NOW));
  expect([computed.length, total, asOf]).toEqual([2, 1, NOW]);
});

test('a list is never older than the lake or the clock', async () => {
  const { get, write, computed } = listsOf();
  await get(now(NOW));
  expect((await get(now(NOW + 5))).asOf).toBe(NOW + 5);
  expect(computed).toHaveLength(1);
  write('tt_2', hoursAgo(1));
  expect((await get(now(NOW + 6))).total).toBe(2);
  expect((await get(now(NOW + DAY_MS))).total).toBe(0);
  expect(computed).toHaveLength(3);
});

test('a list computed while the lake was written to is given, and never taken for the newer lake', async () => {
  const write: { now?: () => void } = {};
  const { get, computed, ...lake } = listsOf(() => write.now?.());
  write.now = () => {
    lake.write('tt_2', hoursAgo(1));
    write.now = () => {};
  };
  expect(await get(now(NOW))).toMatchObject({ total: 1, version: null });
  expect(await get(now(NOW))).toMatchObject({ total: 2, version: expect.any(Number) });
  expect(computed).toHaveLength(2);
});

test('a list that nobody waits for any more is kept when it was under way', async () => {
  const { lists, release, computed } = listsOf();
  const leaving = new AbortController();
  const part = lists.part(now(NOW, { gone: () => leaving.signal }));
  leaving.abort(new Error('gone'));
  await expect(part).rejects.toThrow('client closed');
  release();
  expect(await lists.part(now(NOW))).toMatchObject({ total: 1 });
  expect(computed).toHaveLength(1);
});

test('the lists asked longest ago go first', async () => {
  const { get, computed } = listsOf(() => {}, 3000); // of one video each: some
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
    async (ask) => {
      if (failing.shift()) throw new Error('no');
      return computeList(writer, ask);
    },
    new LakeCache(ROOMY),
  );
  await expect(lists.part(now(NOW))).rejects.toThrow('no');
  expect((await lists.part(now(NOW))).total).toBe(0);
});
