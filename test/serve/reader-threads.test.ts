import Database from 'better-sqlite3';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { computeList, type ListRowsQuery } from '../../src/lake/lists/computed-list.ts';
import { openLake, openLakeForReading } from '../../src/lake/open.ts';
import { type ReaderOptions, ReaderThreads } from '../../src/serve/cache/reader-threads.ts';
import type { FoundOf } from '../../src/serve/cache/readings.ts';
import { RefusedError } from '../../src/serve/http/problems.ts';
import { freshFolder } from '../support/fresh.ts';
import { fillLake, hoursAgo, NOW } from './filled-lake.ts';

const LARGE = 400_000;
let dataDir: string;
beforeAll(() => {
  dataDir = freshFolder();
  fillLake(dataDir, (into) => {
    for (let key = 0; key < 100; key++)
      into.video({
        id: `tt_${key}`,
        snapshots: [[hoursAgo(2), key]],
        extra: key < 80 ? { note: 'x'.repeat(LARGE) } : {},
      });
  });
});

const listQuery = (more: Partial<ListRowsQuery> = {}): ListRowsQuery => ({
  wanted: { list: 'feed', platform: 'tiktok', windowMs: DAY_MS },
  asOf: NOW,
  from: 0,
  count: 5,
  ...more,
});

const wanted = { owner: 'key_1', unwanted: new AbortController().signal };
const reader = (options: Partial<ReaderOptions> = {}) => {
  const threads = new ReaderThreads({
    dataDir,
    clock: systemClock,
    deadlineMs: 60_000,
    idleMs: 60_000,
    queueMost: 3,
    heapMib: 64,
    ...options,
  });
  onTestFinished(() => threads.close());
  return {
    ask: async (query: ListRowsQuery, asker = wanted) =>
      (await threads.read({ name: 'list', query }, asker)) as FoundOf<'list'>,
    close: () => threads.close(),
  };
};

const refusal = async (asked: Promise<unknown>): Promise<RefusedError> => {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RefusedError);
  return error as RefusedError;
};

/** A clock whose sleeps end when the test rings, by their length. */
const alarmClock = () => {
  const asleep: { ms: number; wake: () => void }[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        asleep.push({ ms, wake: resolve });
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  const ring = (ms: number): void => {
    for (const alarm of asleep) if (alarm.ms === ms) alarm.wake();
  };
  return { clock, ring };
};

test('returns the same list as computing on the main thread, one query at a time', async () => {
  const lake = openLakeForReading(dataDir);
  onTestFinished(() => lake.close());
  const { ask } = reader();
  const asks = [listQuery(), listQuery({ from: 50 }), listQuery({ asOf: hoursAgo(3) })];
  const found = await Promise.all(asks.map((one) => ask(one, wanted)));
  expect(found).toEqual(asks.map((one) => computeList(lake, one)));
});

test('rejects queries at once when the queue is full, with Retry-After', async () => {
  const { ask } = reader();
  const asked = [0, 1, 2, 3].map((from) => ask(listQuery({ from }), wanted));
  const { slug, headers } = await refusal(ask(listQuery({ from: 4 }), wanted));
  expect(slug).toBe('unavailable');
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(await Promise.all(asked)).toHaveLength(4);
});

test('stops a read after the deadline and starts a new thread for the next one', async () => {
  const { clock, ring } = alarmClock();
  const { ask } = reader({ clock, deadlineMs: 7000 });
  const slow = refusal(ask(listQuery(), wanted));
  const next = ask(listQuery(), wanted);
  ring(7000);
  expect(await slow).toMatchObject({
    slug: 'unavailable',
    message: expect.stringContaining('longer than 7 s'),
    headers: { 'retry-after': '7' },
  });
  expect((await next).total).toBe(100);
});

test('rejects a query that waited too long, without reading it', async () => {
  const { clock, ring } = alarmClock();
  const { ask } = reader({ clock });
  const first = ask(listQuery(), wanted);
  const waiting = refusal(ask(listQuery({ from: 1 }), wanted));
  ring(45_000);
  expect(await waiting).toMatchObject({
    slug: 'unavailable',
    message: expect.stringContaining('waited 45 s'),
  });
  expect((await first).total).toBe(100);
});

test('ends an idle thread and starts another for the next query', async () => {
  const { clock, ring } = alarmClock();
  const { ask } = reader({ clock, idleMs: 9000 });
  const first = await ask(listQuery(), wanted);
  ring(9000);
  await Promise.resolve();
  expect((await ask(listQuery(), wanted)).items).toEqual(first.items);
});

test('fails only the query during which the thread died', async () => {
  const { ask } = reader({ heapMib: 16 });
  const dying = ask(listQuery({ count: 100 }), wanted);
  const next = ask(listQuery(), wanted);
  await expect(dying).rejects.toThrow(/memory|ended/);
  await expect(dying).rejects.not.toBeInstanceOf(RefusedError);
  expect((await next).items).toHaveLength(5);
});

test('skips queries that nobody waits for', async () => {
  const { ask } = reader({ queueMost: 1 });
  const leaving = new AbortController();
  const first = ask(listQuery(), wanted);
  const dropped = refusal(ask(listQuery({ from: 1 }), { ...wanted, unwanted: leaving.signal }));
  leaving.abort();
  await dropped;
  const third = ask(listQuery({ from: 2 }), wanted); // there is room for it again
  expect(await Promise.all([first, third])).toHaveLength(2);
});

test('fails without a lake, and again at the next query', async () => {
  const { ask } = reader({ dataDir: freshFolder() });
  await expect(ask(listQuery(), wanted)).rejects.toThrow('There is no lake');
  await expect(ask(listQuery(), wanted)).rejects.toThrow('There is no lake');
});

test('an error of SQLite keeps its class and code, for which the service responds 503', async () => {
  const broken = freshFolder();
  fillLake(broken, (into) => into.video({ id: 'tt_1', snapshots: [[hoursAgo(2), 1]] }));
  const lake = openLake(broken);
  lake.sqlite.pragma('foreign_keys = off');
  lake.sqlite.exec('drop view if exists snapshots; alter table video_snapshot rename to gone');
  lake.close();
  const failed = reader({ dataDir: broken }).ask(listQuery(), wanted);
  await expect(failed).rejects.toBeInstanceOf(Database.SqliteError);
  await expect(failed).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
});

test('rejects all queries on close', async () => {
  const { ask, close } = reader();
  const refused = [0, 1].map((from) => refusal(ask(listQuery({ from }), wanted)));
  await close();
  await Promise.all(refused);
  await refusal(ask(listQuery(), wanted));
});

test('a slow read of one key does not delay another key', async () => {
  const { ask } = reader({ heapMib: 256 });
  const other = { ...wanted, owner: 'key_2' };
  await Promise.all([ask(listQuery()), ask(listQuery(), other)]); // both threads have started
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const slow = ask(listQuery({ count: 100 })).then(note('slow')); // 32 MB
  await ask(listQuery({ from: 90 }), other).then(note('other'));
  await slow;
  expect(order).toEqual(['other', 'slow']);
});

test('accepts queries of other keys while the queue of one key is full', async () => {
  const { ask } = reader({ queueMost: 2 });
  const asked = [0, 1, 2].map((from) => ask(listQuery({ from })));
  await refusal(ask(listQuery({ from: 3 })));
  const other = ask(listQuery({ from: 3 }), { ...wanted, owner: 'key_2' });
  expect(await Promise.all([...asked, other])).toHaveLength(4);
});
