import { expect, test } from 'vitest';
import { DAY_MS, systemClock } from '../../src/clock.ts';
import { computeList, type ListAsk } from '../../src/lake/computed-list.ts';
import { keptLists, type PartAsk } from '../../src/lake/kept-lists.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { filler, hoursAgo, NOW } from '../serve/filled-lake.ts';
import { freshFolder, freshLake } from '../support/fresh.ts';

const question = { list: 'feed', platform: 'tiktok', windowMs: DAY_MS } as const;
const now = (asOf: number, more: Partial<PartAsk<typeof question>> = {}) => ({
  question,
  asOf,
  isNow: true,
  from: 0,
  count: 10,
  ...more,
});

/** Lists over a lake of one video; each computation says that it cost `costMs`, and waits for `release`. */
const listsOf = (costMs: number, meanwhile: () => void = () => {}) => {
  const dataDir = freshFolder();
  const writer = freshLake(dataDir);
  const write = (id: string, at: number) => filler(writer).video({ id, looks: [[at, 5]] });
  write('tt_1', hoursAgo(1));
  const lake = openLakeForReading(dataDir);
  const clock = { at: 0, monotonic: () => clock.at };
  const computed: ListAsk[] = [];
  const waiting: (() => void)[] = [];
  const lists = keptLists(
    lake,
    async (ask) => {
      computed.push(ask);
      const list = computeList(lake, ask, clock);
      meanwhile();
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { ...list, costMs };
    },
    clock,
  );
  const release = (): void => {
    for (const go of waiting.splice(0)) go();
  };
  const get = async (ask: PartAsk<typeof question>) => {
    const part = lists.part(ask);
    release();
    return part;
  };
  return { lists, get, release, write, computed, clock };
};

test('equal lists wanted at the same time are computed once, other parts of them too', async () => {
  const { lists, release, computed } = listsOf(5);
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
  const { get, write, computed } = listsOf(1);
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

test('a list computed while the lake was written to is given, and never taken for the newer lake', async () => {
  const write: { now?: () => void } = {};
  const { get, computed, ...lake } = listsOf(1, () => write.now?.());
  write.now = () => {
    lake.write('tt_2', hoursAgo(1));
    write.now = () => {};
  };
  expect(await get(now(NOW))).toMatchObject({ total: 1, isStale: true });
  expect(await get(now(NOW))).toMatchObject({ total: 2, isStale: false });
  expect(computed).toHaveLength(2);
});

test('a list that nobody waits for any more is kept when it was under way', async () => {
  const { lists, release, computed } = listsOf(5);
  const leaving = new AbortController();
  const part = lists.part(now(NOW, { gone: () => leaving.signal }));
  leaving.abort(new Error('gone'));
  await expect(part).rejects.toThrow('gone');
  release();
  expect(await lists.part(now(NOW))).toMatchObject({ total: 1 });
  expect(computed).toHaveLength(1);
});

test('the lists asked longest ago go first', async () => {
  const { get, computed } = listsOf(5);
  const ofDays = (days: number) => now(NOW, { question: { ...question, windowMs: days * DAY_MS } });
  for (let days = 1; days <= 64; days++) await get(ofDays(days));
  await get(ofDays(1));
  expect(computed).toHaveLength(64);
  await get(ofDays(65));
  await get(ofDays(1));
  expect(computed).toHaveLength(65);
  await get(ofDays(2));
  expect(computed).toHaveLength(66);
});

test('computing that failed is not kept', async () => {
  const dataDir = freshFolder();
  const writer = freshLake(dataDir);
  const failing = [true, false];
  const lists = keptLists(
    writer,
    (ask) => {
      if (failing.shift()) throw new Error('no');
      return computeList(writer, ask, systemClock);
    },
    systemClock,
  );
  await expect(lists.part(now(NOW))).rejects.toThrow('no');
  expect((await lists.part(now(NOW))).total).toBe(0);
});
