import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type FaultCase,
  REQUESTS,
  redirects,
  SECTIONS,
  type Seen,
  type Stored,
  UNDISTURBED_CALLS,
} from '../../fixtures/fault-cases.ts';
import * as faults from '../../fixtures/faults.ts';
import { type FaultyUpstream, startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';
import { decodeResponse } from '../../src/upstream/decode/decode.ts';
import { NoResponseError, UnreadableResponseError } from '../../src/upstream/errors.ts';
import { freshFolder } from '../support/fresh.ts';
import { FEED } from '../support/responses.ts';
import {
  CONCURRENCY,
  filesWithKey,
  KEY,
  type SyncResult,
  smallConfig,
  syncOnce,
} from '../support/sync-once.ts';

// Holds every line of fault-cases.ts; docs/troubleshooting.md has a row for each section of it.

let clean: SyncResult;
let elsewhere: FaultyUpstream;
beforeAll(async () => {
  elsewhere = await startFaultyUpstream();
  const upstream = await startFaultyUpstream();
  clean = await syncOnce(freshFolder(), upstream.baseUrl);
  await upstream.close();
});
afterAll(() => elsewhere.close());

type Rows = SyncResult['rows'];
interface Disturbed extends SyncResult {
  calls: number;
  dataDir: string;
}

/** A sync that meets the fault, and what holds of each: promise 1, and promise 10. */
const disturbed = async ({
  fault,
  on,
  always,
  timeoutMs = 10_000,
}: Pick<FaultCase, 'fault' | 'on' | 'always' | 'timeoutMs'>): Promise<Disturbed> => {
  const upstream = await startFaultyUpstream([
    { fault, on: REQUESTS[on], times: always ? Number.POSITIVE_INFINITY : 1 },
  ]);
  const dataDir = freshFolder();
  try {
    const config = { timeoutMs: String(timeoutMs) };
    const result = await syncOnce(dataDir, upstream.baseUrl, { config });
    const calls = upstream.arrivals.length;
    expect(result.ledger).toBe(calls);
    expect(upstream.arrivals.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(
      true,
    );
    expect(JSON.stringify(result.summary)).not.toContain(KEY);
    expect(filesWithKey(dataDir)).toEqual([]);
    const bodies = read(dataDir, 'select body from responses') as { body: Buffer }[];
    expect(bodies.filter(({ body }) => gunzipSync(body).includes(KEY))).toEqual([]);
    return { ...result, calls, dataDir };
  } finally {
    await upstream.close();
  }
};

/** Rows of a lake. */
const read = (dataDir: string, sql: string): unknown[] => {
  const lake = openLakeForReading(dataDir);
  try {
    return lake.sqlite.prepare(sql).all();
  } finally {
    lake.close();
  }
};

/** Columns that depend on the order of requests: the list that saw a video first, and when. */
const BY_THE_WAY = ['source', 'first_seen_at', 'last_seen_at'];

/** Nothing is there that would not be there without the fault: less is known, nothing else. */
const expectPartOf = (rows: Rows, whole: Rows): void => {
  for (const [table, all] of Object.entries(whole)) {
    const more = (rows[table] as Record<string, unknown>[]).filter((row) => {
      const known = Object.entries(row).filter(
        ([name, value]) => value !== null && !BY_THE_WAY.includes(name),
      );
      return !(all as Record<string, unknown>[]).some((other) =>
        known.every(([name, value]) => other[name] === value),
      );
    });
    expect({ table, more }).toEqual({ table, more: [] });
  }
};
const sizeOf = (rows: Rows): number =>
  Object.values(rows).reduce((sum, table) => sum + table.length, 0);

interface Place {
  list: string;
  platform: string;
  rank: number;
  video_id: string;
  total: number | null;
}
const feedPlaces = (rows: Rows): Place[] =>
  (rows.rankings as Place[]).filter(
    ({ list, platform }) => list === 'feed' && platform === 'tiktok',
  );
const titles = (rows: Rows): unknown[] =>
  (rows.videos as { title: string }[]).map(({ title }) => title);
const expectPlaces = (rows: Rows, places: number): void => {
  expect(feedPlaces(rows)).toHaveLength(places);
  expect(new Set(feedPlaces(rows).map(({ rank }) => rank)).size).toBe(places);
};

const expectSameBut = (table: string, rows: Rows): void =>
  expect({ ...rows, [table]: [] }).toEqual({ ...clean.rows, [table]: [] });

/** Meaning of `as it came`, fault by fault. */
const AS_IT_CAME: Record<string, (rows: Rows) => void> = {
  'UTF-8 that says it is Latin-1': (rows) =>
    expect(titles(rows)).toContain('Vidéo 55 #tag0 #tiktok'),
  'Latin-1 that says so': (rows) => expect(titles(rows)).toContain('Vidéo 55 #tag0 #tiktok'),
  'UTF-16 that says so': (rows) => expect(titles(rows)).toContain('Vidéo 55 #tag0 #tiktok'),
  'no total': (rows) => {
    expectSameBut('rankings', rows);
    expect(feedPlaces(rows).map(({ total }) => total)).toContain(null);
  },
  'a bare list': (rows) => {
    expectSameBut('rankings', rows);
    expect(feedPlaces(rows)).toHaveLength(120);
  },
  'no likes, no createdAt': (rows) => {
    expect(rows.videos).toHaveLength(240);
    expect(feedPlaces(rows)).toHaveLength(120);
  },
  'an id without a prefix, beside a platform': (rows) =>
    expect(rows.videos).toContainEqual(
      expect.objectContaining({ id: 'abc', platform: 'tiktok', title: 'Video 55 #tag0 #tiktok' }),
    ),
  'null likes': (rows) =>
    expect(rows.videos).toContainEqual(expect.objectContaining({ id: 'tt_55', likes: null })),
  'a createdAt in the future: believed': (rows) =>
    expect(rows.videos).toContainEqual(
      expect.objectContaining({ id: 'tt_55', created_at: Date.UTC(2030, 0, 1) }),
    ),
  'shifted while it was paged: a video at two ranks': (rows) => {
    const places = feedPlaces(rows).filter(({ video_id }) => video_id === 'tt_99');
    expect(places.map(({ rank }) => rank)).toEqual([100, 101]);
    expect(rows.videos).toHaveLength(240);
  },
  'a video twice on one page': (rows) => {
    const places = feedPlaces(rows).filter(({ video_id }) => video_id === 'tt_100');
    expect(places.map(({ rank }) => rank)).toEqual([101, 102]);
    expect(rows.videos).toEqual(clean.rows.videos);
    expect(rows.video_snapshots).toEqual(clean.rows.video_snapshots);
  },
  'page 2 repeats page 1: not loaded, the list ends': (rows) => {
    expectPlaces(rows, 100);
    expectPartOf({ ...clean.rows, rankings: rows.rankings ?? [] }, clean.rows);
  },
  'page 2 repeats half of page 1, without fields': (rows) => {
    expectPlaces(rows, 150);
    // items without their fields erase nothing
    expectPartOf({ ...clean.rows, videos: rows.videos ?? [] }, clean.rows);
  },
  'a total of a million: one page more, which is empty': (rows) => expectPlaces(rows, 120),
  'a total below what the page holds: no further page': (rows) => expectPlaces(rows, 100),
  'a total of -7': (rows) => expectPlaces(rows, 120),
  'a total of "many"': (rows) => expectPlaces(rows, 120),
  'an empty list': (rows) => expect(feedPlaces(rows)).toEqual([]),
  'the same page for ever: its first repeat is not loaded and ends the list': (rows) =>
    expectPlaces(rows, 100),
};

/** Columns that are not named as their fields. */
const COLUMNS: Record<string, string> = {
  engagementRate: 'engagement_rate',
  createdAt: 'created_at',
};
const extraOfItem = (dataDir: string): object => {
  const [video] = read(dataDir, "select extra from video where id = 'tt_55'") as {
    extra: string;
  }[];
  return JSON.parse(video?.extra ?? '{}') as object;
};

const STORED: Record<Stored, (result: Disturbed, it: FaultCase, name: string) => void> = {
  'as without it': ({ rows }) => expect(rows).toEqual(clean.rows),
  'all but that answer': ({ rows }) => {
    expectPartOf(rows, clean.rows);
    expect(sizeOf(rows)).toBeGreaterThan(0);
    expect(sizeOf(rows)).toBeLessThan(sizeOf(clean.rows));
  },
  'what came before': ({ rows }) => {
    expectPartOf(rows, clean.rows);
    expect(rows.videos?.length).toBeGreaterThan(0);
  },
  nothing: ({ rows }) => expect(sizeOf(rows)).toBe(0),
  'as it came': ({ rows }, _, name) => {
    expect(Object.keys(AS_IT_CAME)).toContain(name);
    AS_IT_CAME[name]?.(rows);
  },
  'the item without that field, its original in `extra`': ({ rows, dataDir }, { drift = {} }) => {
    expect(rows.videos).toHaveLength(240);
    const { odd } = extraOfItem(dataDir) as { odd: Record<string, unknown> };
    const fields = Object.entries(odd).map(([field]) => `${field} (unexpected value)`);
    expect(fields).toEqual(Object.keys(drift));
    for (const [field, value] of Object.entries(odd))
      expect(JSON.stringify(value)).toMatch(drift[`${field} (unexpected value)`] as RegExp);
    const [video = {}] = read(dataDir, "select * from videos where id = 'tt_55'") as object[];
    for (const field of Object.keys(odd))
      expect(video).not.toHaveProperty(COLUMNS[field] ?? field, expect.anything());
  },
  'the item, the field in `extra`': ({ rows, dataDir }, { drift = {} }) => {
    expect(rows.videos).toHaveLength(240);
    expect(Object.keys(extraOfItem(dataDir)).toSorted()).toEqual(Object.keys(drift).toSorted());
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    // every kept JSON is one that the database can read
    expect(read(dataDir, 'select id from video where not json_valid(coalesce(extra, 1))')).toEqual(
      [],
    );
  },
  'the page without that item': ({ rows }) => {
    expectPartOf(rows, clean.rows);
    expect(rows.rankings?.length).toBe((clean.rows.rankings?.length ?? 0) - 1);
  },
};

const failedCalls = (dataDir: string): { error: string; status: number; kept: number }[] =>
  read(
    dataDir,
    `select error, status, (select count(*) from responses r where r.call_id = c.id) as kept
     from calls c where error is not null`,
  ) as { error: string; status: number; kept: number }[];

const ANY = /./;

/** Among the failed calls there is one that says so. */
const expectCallError = ({ dataDir, summary }: Disturbed, says = ANY, kept = 0): void => {
  const failed = failedCalls(dataDir);
  expect(failed.map(({ error }) => error).join('\n')).toMatch(says);
  expect(summary.calls.failed).toBe(failed.length);
  for (const call of failed) expect(call).toMatchObject({ kept });
};

const SEEN: Record<Seen, (result: Disturbed, it: FaultCase) => void> = {
  '`calls.error`': (result, { says }) => expectCallError(result, says, 0),
  '`calls.error`, its body in `responses`': (result, { says }) => expectCallError(result, says, 1),
  '`calls.error`, `run_items.error`, the run’s reason': (result, { says = ANY }) => {
    expect(failedCalls(result.dataDir).length).toBeGreaterThan(0);
    expect(String(result.summary.reason)).toMatch(says);
    const [item] = read(
      result.dataDir,
      "select request || ': ' || error as stated from run_items where state = 'failed' order by position",
    ) as { stated: string }[];
    expect(result.summary.reason).toBe(item?.stated);
  },
  '`calls.error`, the run’s reason: what to do': (result, { says = ANY }) => {
    expect(failedCalls(result.dataDir).length).toBeGreaterThan(0);
    expect(String(result.summary.reason)).toMatch(says);
  },
  '`rejected_items`: reason, item, call': ({ summary, dataDir }, { says = ANY }) => {
    expect(summary.rejected).toBe(1);
    const [kept] = read(
      dataDir,
      'select r.reason, r.item, c.request from rejected_items r join calls c on c.id = r.call_id',
    ) as { reason: string; item: string; request: string }[];
    expect(kept?.reason).toMatch(says);
    expect(kept?.item).toMatch(/Video 55|null/);
    expect(kept?.request).toMatch(/^GET \/feed\/tiktok/);
  },
  '`drift`: field, first sample, call': ({ summary, dataDir }, { drift = {} }) => {
    expect(summary).toMatchObject({ rejected: 0, reason: null, calls: { failed: 0 } });
    const kept = read(
      dataDir,
      'select d.resource, d.field, d.sample, c.request from drift d join calls c on c.id = d.call_id',
    ) as { field: string; sample: string; request: string }[];
    expect(kept.map(({ field }) => field).toSorted()).toEqual(Object.keys(drift).toSorted());
    for (const { field, sample, request } of kept) {
      expect(sample).toMatch(Object.getOwnPropertyDescriptor(drift, field)?.value as RegExp);
      expect(request).toMatch(/^GET \/feed\/tiktok/);
    }
    // the run that met it first says so
    expect(summary.drift).toHaveLength(kept.length);
    expect(summary.drift).toEqual(expect.arrayContaining(kept));
  },
  'nowhere: nothing is wrong': ({ summary, dataDir }) => {
    expect(summary).toMatchObject({ rejected: 0, reason: null, calls: { failed: 0 } });
    expect(read(dataDir, 'select * from drift')).toEqual([]);
  },
};

const hold = async (name: string, it: FaultCase): Promise<void> => {
  const result = await disturbed(it);
  expect(result.summary.outcome).toBe(it.ends);
  STORED[it.stored](result, it, name);
  SEEN[it.seen](result, it);
  if (typeof it.calls === 'number') expect(result.calls).toBe(UNDISTURBED_CALLS + it.calls);
  else expect(result.calls).toBeLessThanOrEqual(it.calls.most);
  if (it.ends !== 'paused' && it.ends !== 'failed') expect(result.summary.items.planned).toBe(0);
};

test('an undisturbed run', () => {
  expect(clean.summary).toMatchObject({
    outcome: 'complete',
    rejected: 0,
    calls: { sent: UNDISTURBED_CALLS, ok: UNDISTURBED_CALLS, failed: 0 },
    items: { planned: 0, done: UNDISTURBED_CALLS, failed: 0, skipped: 0 },
  });
  expect(clean.rows.videos).toHaveLength(240);
});

describe.each(SECTIONS)('fault catalogue: $title', ({ cases }) => {
  test.each(Object.entries(cases))('%s', hold);
});

test.each([301, 302, 303, 307, 308])(
  '%i to another host: not followed, the key stays',
  async (code) => {
    const before = elsewhere.arrivals.length;
    const to = new URL(elsewhere.baseUrl).origin.replace('127.0.0.1', 'localhost');
    const [name, it] =
      Object.entries(redirects(to)).find(([words]) => words.startsWith(`${code}`)) ?? [];
    if (name === undefined || it === undefined) throw new Error(`no redirect ${code}`);
    await hold(name, it);
    expect(elsewhere.arrivals.length).toBe(before);
  },
);

test('property: a response that ends at any byte but its last is never taken for one', async () => {
  let bytes = 0;
  const upstream = await startFaultyUpstream(() =>
    bytes === 0 ? undefined : faults.resetAfter(bytes),
  );
  const client = new HttpApiClient(smallConfig(freshFolder(), upstream.baseUrl));
  const whole = await client.send(FEED);
  const anyByte = fc.integer({ min: 1, max: whole.body.length - 1 });
  await fc.assert(
    fc.asyncProperty(anyByte, async (at) => {
      bytes = at;
      await expect(client.send(FEED)).rejects.toBeInstanceOf(NoResponseError);
      const cut = { ...whole, body: whole.body.subarray(0, at) };
      expect(() => decodeResponse(FEED, cut)).toThrow(UnreadableResponseError);
    }),
  );
  await client.close();
  await upstream.close();
});

test('a refused key costs one call, at however many at once', async () => {
  expect(CONCURRENCY).toBeGreaterThan(1);
  const result = await disturbed({ fault: faults.status(401), on: 'every request', always: true });
  expect(result.calls).toBe(1);
});

test('429 with a wait of hours: paused, not failed, until then', async () => {
  const wait = faults.status(429, { 'retry-after': '7200' });
  const { summary } = await disturbed({ fault: wait, on: 'the hashtags', always: true });
  expect(Date.parse(summary.resumesAt ?? '')).toBeGreaterThanOrEqual(
    Date.parse(summary.startedAt) + 7_200_000,
  );
  expect(summary.items.planned).toBeGreaterThan(0);
});

test('answers and errors that say the key back leave no trace of it', async () => {
  for (const code of [200, 301, 401, 404, 418, 429]) {
    const { summary } = await disturbed({
      fault: faults.echo(code),
      on: 'feed, page 1',
      always: false,
    });
    expect(summary.reason ?? '').not.toContain(KEY);
  }
});
