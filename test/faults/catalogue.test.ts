import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLakeForReading } from '../../src/lake/open.ts';
import * as faults from '../support/faults.ts';
import {
  type Fault,
  type FaultyUpstream,
  startFaultyUpstream,
} from '../support/faulty-upstream.ts';
import { freshFolder } from '../support/fresh.ts';
import { countOf } from '../support/lake-rows.ts';
import { CONCURRENCY, filesWithKey, KEY, type SyncResult, syncOnce } from '../support/sync-once.ts';

// What trendlake does about everything that can be wrong with an answer. Each line: what happens,
// on which request, how many calls it costs on top of the 16 of an undisturbed run, how the run
// ends, and whether the lake is then the same as undisturbed.

const CLEAN_CALLS = 16;
const FEED = /GET \/v1\/feed\/tiktok\?.*page=1$/;
const FEED_PAGE_2 = /GET \/v1\/feed\/tiktok\?.*page=2$/;
const TRENDS = /GET \/v1\/trends\/youtube\/week/;
const HASHTAGS = /GET \/v1\/hashtags/;
const GROWTH = /GET \/v1\/videos\//;
const CREATOR = /GET \/v1\/creators\//;

let clean: SyncResult;
let elsewhere: FaultyUpstream;
beforeAll(async () => {
  elsewhere = await startFaultyUpstream();
  const upstream = await startFaultyUpstream();
  clean = await syncOnce(freshFolder(), upstream.baseUrl);
  await upstream.close();
});
afterAll(() => elsewhere.close());

interface Disturbed extends SyncResult {
  calls: number;
  dataDir: string;
}

/** A sync whose requests that match `on` meet the fault `times` times. */
const disturbed = async (
  fault: Fault,
  { on, times = 1, timeoutMs = 10_000 }: { on?: RegExp; times?: number; timeoutMs?: number } = {},
): Promise<Disturbed> => {
  const upstream = await startFaultyUpstream([
    { fault, times, ...(on === undefined ? {} : { on }) },
  ]);
  const dataDir = freshFolder();
  try {
    const config = { timeoutMs: String(timeoutMs) };
    const result = await syncOnce(dataDir, upstream.baseUrl, { config });
    const calls = upstream.arrivals.length;
    // promise 1: what arrived is what was counted; promise 10: the key stays home
    expect(result.ledger).toBe(calls);
    expect(upstream.arrivals.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(
      true,
    );
    expect(JSON.stringify(result.summary)).not.toContain(KEY);
    expect(filesWithKey(dataDir)).toEqual([]);
    expect(bodiesWithKey(dataDir)).toBe(0);
    return { ...result, calls, dataDir };
  } finally {
    await upstream.close();
  }
};

const bodiesWithKey = (dataDir: string): number => {
  const lake = openLakeForReading(dataDir);
  const bodies = lake.sqlite.prepare('select body from responses').pluck().all() as Buffer[];
  lake.close();
  return bodies.filter((body) => gunzipSync(body).includes(KEY)).length;
};

test('an undisturbed run', () => {
  expect(clean.summary).toMatchObject({
    outcome: 'complete',
    rejected: 0,
    calls: { sent: CLEAN_CALLS, ok: CLEAN_CALLS, failed: 0 },
    items: { planned: 0, done: CLEAN_CALLS, failed: 0, skipped: 0 },
  });
  expect(clean.rows.videos).toHaveLength(240);
});

describe('a fault that passes costs one call, and the lake is the same as without it', () => {
  const passing: [string, Fault, { on?: RegExp; timeoutMs?: number }?][] = [
    ['429 with Retry-After in seconds', faults.status(429, { 'retry-after': '7' })],
    [
      '429 with Retry-After as a date',
      faults.status(429, {
        'retry-after': 'Sun, 01 Mar 2026 00:01:00 GMT',
        date: 'Sun, 01 Mar 2026 00:00:00 GMT',
      }),
    ],
    ['429 without a hint', faults.status(429)],
    ['429 with a nonsensical hint', faults.status(429, { 'retry-after': 'later' })],
    ['429 with a hint of 0', faults.status(429, { 'retry-after': '0' })],
    ['429 with a negative hint', faults.status(429, { 'retry-after': '-3' })],
    ['429 with an HTML body', ({ response }) => void response.writeHead(429).end('<html>')],
    ['500', faults.status(500)],
    ['501', faults.status(501)],
    ['502', faults.status(502)],
    ['503 with Retry-After', faults.status(503, { 'retry-after': '5' })],
    ['503 without', faults.status(503)],
    ['504', faults.status(504)],
    ['500 on a growth timeline', faults.status(500), { on: GROWTH }],
    ['500 on a profile', faults.status(500), { on: CREATOR }],
    ['500 on the hashtags', faults.status(500), { on: HASHTAGS }],
    ['no answer at all', faults.hang, { timeoutMs: 500 }],
    ['an answer that drips for ever', faults.drip, { timeoutMs: 500 }],
    ['a reset before a byte', faults.resetAfter(0)],
    ['a reset inside the headers', faults.resetAfter(20)],
    ['a reset at the start of the body', faults.resetAfter(90)],
    ['a reset in the middle of the body', faults.resetAfter(9000)],
    ['a reset in the middle of page 2', faults.resetAfter(3000), { on: FEED_PAGE_2 }],
    ['JSON cut short without a length', faults.cutWithoutLength],
    ['an empty 200', faults.text('')],
    ['an HTML 200', faults.text('<html><form>Sign in to the hotel</form>', 'text/html')],
    [
      'invalid UTF-8',
      faults.reencode((json) => Buffer.from(json.replace('Video', 'Vid\xe9o'), 'latin1')),
    ],
    [
      'gzip that says so but is not',
      faults.reencode((json) => json, { 'content-encoding': 'gzip' }),
    ],
    [
      'gzip cut short',
      faults.reencode((json) => gzipSync(json).subarray(0, 200), { 'content-encoding': 'gzip' }),
    ],
    [
      'an encoding nobody asked for',
      faults.reencode((json) => json, { 'content-encoding': 'zstd' }),
    ],
    ['a gzip bomb', faults.bomb('gzip')],
    ['a brotli bomb', faults.bomb('br')],
    ['a body without end', faults.endless],
    ['an error that says the key back', faults.echo(500)],
  ];
  test.each(passing)('%s', async (_, fault, options = {}) => {
    const result = await disturbed(fault, { on: FEED, ...options });
    expect(result.summary.outcome).toBe('complete');
    expect(result.calls).toBe(CLEAN_CALLS + 1);
    expect(result.summary.calls.failed).toBe(1);
    expect(result.rows).toEqual(clean.rows);
  });
});

describe('an answer that is only unusual costs nothing', () => {
  const gzip = (text: string | Buffer) => gzipSync(text);
  const unusual: [string, Fault][] = [
    ['a byte order mark', faults.reencode((json) => `\ufeff${json}`)],
    ['the wrong content type', faults.reencode((json) => json, { 'content-type': 'text/html' })],
    ['no content type', ({ response, body }) => void response.end(JSON.stringify(body))],
    [
      'a charset nobody knows',
      faults.reencode((json) => json, { 'content-type': 'application/json; charset=klingon' }),
    ],
    [
      'UTF-8 that says it is Latin-1',
      faults.reencode((json) => json, { 'content-type': 'application/json; charset=latin1' }),
    ],
    [
      'UTF-16 that says so',
      faults.reencode((json) => Buffer.from(json, 'utf16le'), {
        'content-type': 'application/json; charset=utf-16le',
      }),
    ],
    ['gzip', faults.reencode(gzip, { 'content-encoding': 'gzip' })],
    [
      'gzip in gzip',
      faults.reencode((json) => gzip(gzip(json)), { 'content-encoding': 'gzip, gzip' }),
    ],
    ['blanks around the JSON', faults.reencode((json) => `\n\n ${json} \n`)],
    [
      'the list under data, one level deeper',
      faults.rewrite(({ items, ...rest }) => ({ ...rest, data: { items } })),
    ],
    [
      'counts as text',
      faults.rewrite((body) => ({
        ...body,
        items: body.items.map((item) => ({
          ...item,
          views: String(item.views),
          likes: String(item.likes),
        })),
      })),
    ],
    [
      'fields in another order',
      faults.rewrite((body) => ({
        ...body,
        items: body.items.map((item) => Object.fromEntries(Object.entries(item).reverse())),
      })),
    ],
    ['no total', faults.rewrite(({ total: _, ...rest }) => rest)],
  ];
  test.each(unusual)('%s', async (_, fault) => {
    const result = await disturbed(fault, { on: FEED });
    expect(result.summary).toMatchObject({ outcome: 'complete', calls: { failed: 0 } });
    expect(result.calls).toBe(CLEAN_CALLS);
    const { rankings, ...rows } = result.rows;
    const { rankings: cleanRankings, ...cleanRows } = clean.rows;
    expect(rows).toEqual(cleanRows);
    expect(rankings).toHaveLength(cleanRankings?.length ?? 0);
  });
});

describe('an answer that stays wrong fails its item, and only that', () => {
  const forGood: [string, Fault, RegExp, { calls: number; outcome: string; says: RegExp }][] = [
    [
      '404 on a list',
      faults.status(404),
      TRENDS,
      { calls: 0, outcome: 'partial', says: /trends\/youtube\/week.*404/s },
    ],
    [
      '404 on a video: it is gone',
      faults.status(404),
      GROWTH,
      { calls: 0, outcome: 'complete', says: /null/ },
    ],
    ['400', faults.status(400), HASHTAGS, { calls: 0, outcome: 'partial', says: /hashtags.*400/s }],
    [
      'a list of no known shape',
      faults.text('{"things":[]}'),
      TRENDS,
      { calls: 0, outcome: 'partial', says: /no list/ },
    ],
    [
      'JSON that is no object',
      faults.text('"sorry"'),
      TRENDS,
      { calls: 0, outcome: 'partial', says: /no list/ },
    ],
    [
      '500 for ever on one list',
      faults.status(500),
      TRENDS,
      { calls: 3, outcome: 'partial', says: /500/ },
    ],
    [
      'HTML for ever on one list',
      faults.text('<html>'),
      TRENDS,
      { calls: 3, outcome: 'partial', says: /not whole JSON.*<html>/s },
    ],
    [
      '403 on profiles: the key may not ask',
      faults.status(403),
      CREATOR,
      { calls: 0, outcome: 'partial', says: /403/ },
    ],
  ];
  test.each(forGood)('%s', async (_, fault, on, { calls, outcome, says }) => {
    const times = on === GROWTH ? 1 : Number.POSITIVE_INFINITY;
    const result = await disturbed(fault, { on, times });
    expect(result.summary.outcome).toBe(outcome);
    expect(String(result.summary.reason)).toMatch(says);
    // a forbidden job is not asked again, so it may cost fewer calls, never more
    expect(result.calls).toBeLessThanOrEqual(CLEAN_CALLS + calls);
    expect(result.summary.items.planned).toBe(0);
    expect(result.rows.videos).toHaveLength(240);
  });
});

describe('a fault of the service as a whole stops the run and says what to do', () => {
  test('a refused key: no call after those in flight', async () => {
    const result = await disturbed(faults.status(401), { times: Number.POSITIVE_INFINITY });
    expect(result.summary.outcome).toBe('failed');
    expect(result.summary.reason).toMatch(/does not accept the key \(401\).*TRENDLAKE_API_KEY/);
    expect(result.calls).toBeLessThanOrEqual(CONCURRENCY);
    expect(result.rows.videos).toEqual([]);
  });

  test('a key refused in the middle: what came before is loaded', async () => {
    const result = await disturbed(faults.status(401), {
      on: HASHTAGS,
      times: Number.POSITIVE_INFINITY,
    });
    expect(result.summary.outcome).toBe('failed');
    expect(result.calls).toBeLessThanOrEqual(CLEAN_CALLS - 5 + CONCURRENCY);
    expect(result.rows.videos?.length).toBeGreaterThan(0);
  });

  test.each([
    ['500 for ever', faults.status(500)],
    ['resets for ever', faults.resetAfter(0)],
    ['HTML for ever', faults.text('<html>')],
  ])('%s: gives up after a few calls', async (_, fault) => {
    const result = await disturbed(fault, { times: Number.POSITIVE_INFINITY });
    expect(result.summary.outcome).toBe('failed');
    expect(result.summary.reason).toMatch(/has not answered.*TRENDLAKE_BASE_URL/s);
    expect(result.calls).toBeLessThanOrEqual(4 + CONCURRENCY);
  });

  test('429 with a wait of hours: paused, not failed, until then', async () => {
    const wait = faults.status(429, { 'retry-after': '7200' });
    const result = await disturbed(wait, { on: HASHTAGS, times: Number.POSITIVE_INFINITY });
    expect(result.summary.outcome).toBe('paused');
    expect(Date.parse(result.summary.resumesAt ?? '')).toBeGreaterThanOrEqual(
      Date.parse(result.summary.startedAt) + 7_200_000,
    );
    expect(result.summary.items.planned).toBeGreaterThan(0);
  });

  test.each([301, 302, 307, 308])(
    '%i to another host: not followed, the key stays',
    async (code) => {
      const before = elsewhere.arrivals.length;
      const to = new URL(elsewhere.baseUrl).origin.replace('127.0.0.1', 'localhost');
      const result = await disturbed(faults.redirect(code, to), { on: FEED });
      expect(result.summary.outcome).toBe('partial');
      expect(result.summary.reason).toMatch(/redirects to .*not followed.*TRENDLAKE_BASE_URL/);
      expect(elsewhere.arrivals.length).toBe(before);
    },
  );

  test('answers and errors that say the key back leave no trace of it', async () => {
    for (const code of [200, 404, 418]) {
      const result = await disturbed(faults.echo(code), { on: FEED });
      expect(result.summary.reason ?? '').not.toContain(KEY);
    }
  });
});

describe('lists that do not hold together are kept as they came', () => {
  const feedPlaces = (rows: Record<string, unknown[]>) =>
    (rows.rankings as { list: string; platform: string; rank: number; video_id: string }[]).filter(
      ({ list, platform }) => list === 'feed' && platform === 'tiktok',
    );

  test('a list that shifts while it is paged: a video may stand at two places, counted once', async () => {
    const shifted = faults.rewrite((body) => ({
      ...body,
      items: [{ ...body.items[0], id: 'tt_99', title: 'Video 99 #tag4 #tiktok' }, ...body.items],
    }));
    const result = await disturbed(shifted, { on: FEED_PAGE_2 });
    expect(result.summary.outcome).toBe('complete');
    const places = feedPlaces(result.rows).filter(({ video_id }) => video_id === 'tt_99');
    expect(places.map(({ rank }) => rank)).toEqual([100, 101]);
    expect(result.rows.videos).toHaveLength(240);
  });

  test('a page that repeats the one before ends where it was read deep enough', async () => {
    const repeated = faults.rewrite((body) => ({
      ...body,
      items: Array.from({ length: 100 }, (_, n) => ({ id: `tt_${n}`, platform: 'tiktok' })),
    }));
    const result = await disturbed(repeated, { on: FEED_PAGE_2 });
    expect(result.calls).toBe(CLEAN_CALLS);
    expect(feedPlaces(result.rows)).toHaveLength(200);
    // items without their fields erase nothing
    expect(result.rows.videos).toEqual(
      clean.rows.videos?.filter((video) => !/^tt_1[01]\d$/.test((video as { id: string }).id)),
    );
  });

  test.each([
    ['promises more than there is', 1_000_000, 1, 120],
    ['promises less than the page holds', 5, -1, 100],
    ['is negative', -7, 0, 120],
    ['is text', 'many', 0, 120],
  ])('a total that %s', async (_, total, extraCalls, places) => {
    const lying = faults.rewrite((body) => ({ ...body, total }));
    const result = await disturbed(lying, {
      on: /GET \/v1\/feed\/tiktok/,
      times: Number.POSITIVE_INFINITY,
    });
    expect(result.summary.outcome).toBe('complete');
    expect(result.calls).toBe(CLEAN_CALLS + extraCalls);
    expect(feedPlaces(result.rows)).toHaveLength(places);
  });

  test('an empty list', async () => {
    const empty = faults.rewrite((body) => ({ ...body, total: 0, items: [] }));
    const result = await disturbed(empty, { on: FEED });
    expect(result.summary.outcome).toBe('complete');
    expect(feedPlaces(result.rows)).toEqual([]);
  });
});

describe('an odd field is null, its original kept, reported once; the item stays', () => {
  const odd: [string, Record<string, unknown>][] = [
    ['negative views', { views: -1 }],
    ['fractional views', { views: 10.5 }],
    ['NaN as text', { views: 'NaN' }],
    ['text for a count', { likes: '1.2M' }],
    ['an object for a title', { title: { text: 'x' } }],
    ['a list for a user', { user: ['x'] }],
    ['an impossible day', { createdAt: '2026-02-30T00:00:00Z' }],
    ['a time before time', { createdAt: -5 }],
    ['a rate below nothing', { engagementRate: -0.1 }],
  ];
  test.each(odd)('%s', async (_, fields) => {
    const result = await disturbed(faults.item(fields), { on: FEED });
    expect(result.summary).toMatchObject({ outcome: 'complete', rejected: 0 });
    const lake = openLakeForReading(result.dataDir);
    const extra = lake.sqlite.prepare("select extra from video where id = 'tt_0'").pluck().get();
    expect(JSON.parse(String(extra))).toEqual({ odd: fields });
    expect(lake.sqlite.prepare('select field, sample from drift').all()).toEqual(
      Object.entries(fields).map(([field, value]) => ({
        field: `${field} (unexpected value)`,
        sample: JSON.stringify(value),
      })),
    );
    lake.close();
  });

  test('a count past 2^53 - 1 is kept digit by digit', async () => {
    const exact: Fault = ({ response, body }) =>
      void response.end(JSON.stringify(body).replace('"views":120000', '"views":9007199254740993'));
    const result = await disturbed(exact, { on: FEED });
    expect(result.rows.videos?.[0]).toMatchObject({
      id: 'tt_0',
      extra: '{"odd":{"views":"9007199254740993"}}',
    });
  });

  test('unknown fields, however named, deep or large, are kept and reported', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    const strange = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":"x"}');
    const result = await disturbed(
      faults.item({ shares: 7, big: 'x'.repeat(300_000), ...strange }),
      { on: FEED },
    );
    const deeper = await disturbed(
      ({ response, body }) => {
        const { items = [] } = body as { items?: object[] };
        const first = JSON.stringify(items[0]).slice(0, -1);
        const nested = '['.repeat(5000) + ']'.repeat(5000);
        response.end(`{"total":1,"page":1,"items":[${first},"deep":${nested}}]}`);
      },
      { on: FEED },
    );
    expect(deep).toBeDefined();
    for (const { summary, dataDir } of [result, deeper]) {
      expect(summary).toMatchObject({ outcome: 'complete', rejected: 0 });
      const lake = openLakeForReading(dataDir);
      // every kept JSON is one that the database can read
      expect(
        countOf(lake, 'select count(*) from video where not json_valid(coalesce(extra, 1))'),
      ).toBe(0);
      expect(countOf(lake, 'select count(*) from drift')).toBeGreaterThan(0);
      expect(countOf(lake, 'select max(length(sample)) from drift')).toBeLessThan(1100);
      lake.close();
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('the future is believed: nobody knows when a video will have been published', async () => {
    const early = faults.rewrite((body) => ({
      ...body,
      items: body.items.map((item) => ({ ...item, createdAt: '2030-01-01T00:00:00Z' })),
    }));
    const result = await disturbed(early, { on: FEED_PAGE_2 });
    expect(result.rows.videos).toContainEqual(
      expect.objectContaining({ id: 'tt_105', created_at: Date.UTC(2030, 0, 1) }),
    );
  });
});

describe('an item nobody could place is set aside with its reason and its call; the page stays', () => {
  const unusable: [string, Record<string, unknown>, RegExp][] = [
    ['no id', { id: undefined }, /no usable id/],
    ['an empty id', { id: '' }, /no usable id/],
    ['a number for an id', { id: 12 }, /no usable id/],
    ['an id of 10 kB', { id: `tt_${'x'.repeat(10_240)}` }, /no usable id/],
    ['an unknown platform', { platform: 'vimeo' }, /unknown platform "vimeo"/],
    ['a platform that its id contradicts', { platform: 'youtube' }, /youtube by its field, tiktok/],
    ['no platform and no prefix', { id: 'abc', platform: undefined }, /no platform, and none/],
  ];
  test.each(unusable)('%s', async (_, fields, reason) => {
    const result = await disturbed(faults.item(fields), { on: FEED });
    expect(result.summary).toMatchObject({ outcome: 'complete', rejected: 1 });
    expect(result.calls).toBe(CLEAN_CALLS);
    const lake = openLakeForReading(result.dataDir);
    const kept = lake.sqlite
      .prepare(
        'select r.reason, r.item, c.request from rejected_items r join calls c on c.id = r.call_id',
      )
      .all() as { reason: string; item: string; request: string }[];
    lake.close();
    expect(kept).toHaveLength(1);
    expect(kept[0]?.reason).toMatch(reason);
    expect(kept[0]?.item).toContain('Video 0');
    expect(kept[0]?.request).toMatch(/^GET \/feed\/tiktok/);
    const places = result.rows.rankings?.length ?? 0;
    expect(places).toBe((clean.rows.rankings?.length ?? 0) - 1);
  });
});
