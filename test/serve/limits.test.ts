import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/base/durations.ts';
import { LakeKeys } from '../../src/lake/keys/key-store.ts';
import { createKey, hashOf, type KeyWish, listKeys, revokeKey } from '../../src/lake/keys/keys.ts';
import { type KeyStanding, Limiter, usageByDay } from '../../src/lake/keys/limits.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';
import { freshFolder, hoursAgo, NOW } from './filled-lake.ts';
import { runService } from './running.ts';

let folder: ReturnType<typeof freshFolder>;
let db: ReturnType<typeof openServiceDb>;
beforeEach(() => {
  folder = freshFolder();
  db = openServiceDb(folder.dataDir);
});
afterEach(() => {
  db.close();
  folder.remove();
});

const wishOf = (ratePerMinute: number, callsPerMonth: number): KeyWish => ({
  useCase: 'test',
  tier: 'enterprise',
  ratePerMinute,
  callsPerMonth,
});
const keyWith = (ratePerMinute: number, callsPerMonth = 1000): string =>
  createKey(db, wishOf(ratePerMinute, callsPerMonth), NOW).key;

/** Counts requests that come one by one. */
const oneByOne = (of: typeof db): ((key: string, now: number) => KeyStanding | undefined) => {
  const limiter = new Limiter(of);
  return (key, now) => limiter.count(hashOf(key), now);
};

test('a request whose count cannot be committed fails and does not count', () => {
  const key = keyWith(3);
  // whatever changes a key leaves a row without its parent, which only the commit finds
  db.pragma('foreign_keys = ON');
  db.exec(`create table parent (id integer primary key);
    create table child (id integer references parent (id) deferrable initially deferred);
    create trigger refuse after update on api_key begin insert into child values (1); end`);
  const limiter = new Limiter(db);
  expect(() => limiter.count(hashOf(key), NOW)).toThrow(/FOREIGN KEY/);
  db.exec('drop trigger refuse');
  expect(limiter.count(hashOf(key), NOW)).toMatchObject({ minuteLeft: 2, monthLeft: 999 });
});

describe('the sliding minute', () => {
  test('passes the rate and not one more inside any 60 s', () => {
    const count = oneByOne(db);
    const key = keyWith(3);
    const at = (seconds: number) => count(key, NOW + seconds * 1000)?.refusal;
    expect([0, 10, 20].map(at)).toEqual([null, null, null]);
    expect(at(59.999)).toBe('rate-limited');
    // the refused one counts as well: 10, 20 and 59.999 are inside the minute before 60
    expect(at(60)).toBe('rate-limited');
    expect(at(81)).toBe(null); // 59.999, 60 and this one
  });

  test('waiting for Retry-After is enough, however many requests were rejected', () => {
    const count = oneByOne(db);
    const key = keyWith(5);
    for (let i = 0; i < 30; i++) count(key, NOW + i);
    const refused = count(key, NOW + 100);
    expect(refused).toMatchObject({ refusal: 'rate-limited', minuteLeft: 0 });
    const again = count(key, NOW + 100 + (refused?.minuteResetsMs ?? 0));
    expect(again?.refusal).toBe(null);
  });

  test('returns the calls left and the time of the reset', () => {
    const count = oneByOne(db);
    const key = keyWith(3);
    expect(count(key, NOW)).toMatchObject({ minuteLeft: 2, minuteResetsMs: MINUTE_MS });
    expect(count(key, NOW + 5000)).toMatchObject({ minuteLeft: 1, minuteResetsMs: 55_000 });
    expect(count(key, NOW + MINUTE_MS)).toMatchObject({ minuteLeft: 1, minuteResetsMs: 5000 });
  });

  test('keys do not share it', () => {
    const count = oneByOne(db);
    const [a, b] = [keyWith(1), keyWith(1)];
    expect([count(a, NOW)?.refusal, count(b, NOW)?.refusal]).toEqual([null, null]);
    expect(count(a, NOW)?.refusal).toBe('rate-limited');
  });
});

test('the month is the calendar month in UTC', () => {
  const count = oneByOne(db);
  const key = keyWith(100, 2);
  const end = Date.UTC(2026, 3, 1);
  expect(count(key, end - 3000)).toMatchObject({
    refusal: null,
    monthLeft: 1,
    monthResetsMs: 3000,
  });
  expect(count(key, end - 2000)).toMatchObject({
    refusal: null,
    monthLeft: 0,
    monthMs: 31 * DAY_MS,
  });
  expect(count(key, end - 1)).toMatchObject({ refusal: 'quota-exhausted', monthLeft: 0 });
  expect(count(key, end)).toMatchObject({ refusal: null, monthLeft: 1 });
});

test('use is kept by day, refused requests marked', () => {
  const count = oneByOne(db);
  const key = keyWith(2);
  const id = listKeys(db)[0]?.id ?? '';
  for (const at of [NOW, NOW, NOW, NOW + DAY_MS]) count(key, at);
  expect(usageByDay(db, id, 10)).toEqual([
    { day: '2026-03-11', requests: 1, refused: 0 },
    { day: '2026-03-10', requests: 3, refused: 1 },
  ]);
});

test('a revoked key counts nothing more, at once and for other connections', () => {
  const key = keyWith(5);
  const other = openServiceDb(folder.dataDir);
  const count = oneByOne(other);
  expect(count(key, NOW)).toBeDefined();
  const id = listKeys(db)[0]?.id ?? '';
  revokeKey(db, id, NOW);
  expect(count(key, NOW)).toBeUndefined();
  expect(revokeKey(db, id, NOW + 5).revokedAt).toBe(NOW);
  other.close();
});

test('keys have separate standings, and unknown ones have none', () => {
  const count = oneByOne(db);
  const [a, b] = [keyWith(2), keyWith(1)];
  const standings = [a, 'tl_live_none', b, a, b, a].map((key) => {
    const standing = count(key, NOW);
    return standing && [standing.refusal, standing.minuteLeft, standing.monthLeft];
  });
  expect(standings).toEqual([
    [null, 1, 999],
    undefined,
    [null, 0, 999],
    [null, 0, 998],
    ['rate-limited', 0, 998],
    ['rate-limited', 0, 997],
  ]);
});

describe('requests that came together', () => {
  test('are counted as if they had come one by one, in their order', async () => {
    await using keys = new LakeKeys(folder.dataDir);
    const [apart, together] = [keyWith(4, 6), keyWith(4, 6)];
    const count = oneByOne(db);
    const withoutId = (standing: KeyStanding | undefined) => ({ ...standing, id: '' });
    for (const at of [NOW, NOW + 30_000, NOW + MINUTE_MS, NOW + MINUTE_MS]) {
      const expected = [1, 2, 3].map(() => count(apart, at));
      const counted = [1, 2, 3].map(() => keys.count(hashOf(together), at, ''));
      expect((await Promise.all(counted)).map(withoutId)).toEqual(expected.map(withoutId));
    }
    const [first, second] = listKeys(db).map(({ id }) => usageByDay(db, id, 9));
    expect(first).toEqual(second);
  });

  test('fail together and do not count if the commit fails', async () => {
    await using keys = new LakeKeys(folder.dataDir, 0);
    const hash = hashOf(keyWith(5));
    db.exec(`create table parent (id integer primary key);
      create table child (id integer references parent (id) deferrable initially deferred);
      create trigger refuse after update on api_key begin insert into child values (1); end`);
    const failed = await Promise.allSettled([1, 2].map(() => keys.count(hash, NOW, '')));
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    db.exec('begin immediate');
    await expect(keys.count(hash, NOW, '')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    db.exec('rollback; drop trigger refuse');
    expect(await keys.count(hash, NOW, '')).toMatchObject({ minuteLeft: 4 });
  });
});

test('two processes on one data directory are exact together', async () => {
  const key = keyWith(40, 1000);
  const script = `
    import { openServiceDb } from '${join(import.meta.dirname, '../../src/lake/keys/service-db.ts')}';
    import { Limiter } from '${join(import.meta.dirname, '../../src/lake/keys/limits.ts')}';
    import { hashOf } from '${join(import.meta.dirname, '../../src/lake/keys/keys.ts')}';
    const db = openServiceDb(process.argv[1]);
    const limiter = new Limiter(db);
    const hash = hashOf(process.argv[2]);
    let passed = 0;
    for (let i = 0; i < 100; i++) if (limiter.count(hash, ${NOW} + i)?.refusal === null) passed += 1;
    process.stdout.write(String(passed));`; // console.log may colour it
  const run = () =>
    promisify(execFile)(process.execPath, [
      '--input-type=module-typescript',
      '-e',
      script,
      folder.dataDir,
      key,
    ]);
  const outputs = await Promise.all([run(), run()]);
  const passed = outputs.map(({ stdout }) => Number(stdout));
  expect((passed[0] ?? 0) + (passed[1] ?? 0)).toBe(40);
  expect(usageByDay(db, listKeys(db)[0]?.id ?? '', 1)[0]).toMatchObject({
    requests: 200,
    refused: 160,
  });
});

describe('over HTTP', () => {
  test('parallel requests: exactly the rate passes, the rest is 429 with Retry-After', async () => {
    const running = await runService((into) =>
      into.video({ id: 'tt_1', snapshots: [[hoursAgo(1), 1]] }),
    );
    const headers = { authorization: `Bearer ${running.newKey({ ratePerMinute: 20 })}` };
    const got = await Promise.all(
      Array.from({ length: 50 }, () => running.get('/feed/tiktok', { headers })),
    );
    expect(got.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = got.find(({ status }) => status === 429);
    expect(refused?.body.type).toBe('/problems/rate-limited');
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect(refused?.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=60, "month";r=\d+;t=\d+$/);
    expect(refused?.headers.get('ratelimit-policy')).toBe(
      '"minute";q=20;w=60, "month";q=1000000000;w=2678400',
    );
    running.clock.advanceTo(NOW + MINUTE_MS);
    expect((await running.get('/feed/tiktok', { headers })).status).toBe(200);
  });

  test('every authenticated request counts, whatever its response; the month ends with its own slug', async () => {
    const running = await runService((into) =>
      into.video({ id: 'tt_1', snapshots: [[hoursAgo(1), 1]] }),
    );
    const headers = { authorization: `Bearer ${running.newKey({ callsPerMonth: 4 })}` };
    const paths = ['/nope', '/feed/vine', '/feed/tiktok?limit=0'];
    const statuses = [];
    for (const path of paths) statuses.push((await running.get(path, { headers })).status);
    expect(statuses).toEqual([404, 404, 400]);
    const usage = await running.get('/usage', { headers });
    expect(usage.body).toMatchObject({
      month: { limit: 4, used: 4, remaining: 0, resetsAt: '2026-04-01T00:00:00.000Z' },
      days: [{ day: '2026-03-10', requests: 4, refused: 0 }],
    });
    const spent = await running.get('/usage', { headers });
    expect(spent.status).toBe(429);
    expect(spent.body.type).toBe('/problems/quota-exhausted');
    expect(spent.headers.get('retry-after')).toBe(String((Date.UTC(2026, 3, 1) - NOW) / 1000));
  });

  test('Retry-After covers both limits if minute and month are exhausted', async () => {
    const running = await runService(() => {});
    const wish = { ratePerMinute: 2, callsPerMonth: 2 };
    const spend = async () => {
      const headers = { authorization: `Bearer ${running.newKey(wish)}` };
      let last = await running.get('/usage', { headers });
      for (let more = 0; more < 2; more++) last = await running.get('/usage', { headers });
      return [last.body.type, last.headers.get('retry-after')];
    };
    const end = Date.UTC(2026, 3, 1);
    expect(await spend()).toEqual(['/problems/quota-exhausted', String((end - NOW) / 1000)]);
    running.clock.advanceTo(end - 2000);
    expect(await spend()).toEqual(['/problems/quota-exhausted', '60']);
  });
});
