import { expect, onTestFinished, test } from 'vitest';
import { status } from '../../fixtures/faults.ts';
import { type FaultRule, startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { UsageError } from '../../src/base/errors.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { type Client, type ClientOptions, createClient } from '../../src/public/client.ts';
import { freshFolder } from '../support/fresh.ts';
import { KEY } from '../support/sync-once.ts';

const clientOf = async (
  rules: FaultRule[] = [],
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; dataDir: string; arrivals: readonly unknown[] }> => {
  const upstream = await startFaultyUpstream(rules);
  const dataDir = freshFolder();
  const client = createClient({
    baseUrl: upstream.baseUrl,
    apiKey: KEY,
    dataDir,
    ratePerMinute: 1000,
    ...options,
  });
  onTestFinished(async () => {
    await client.close();
    await upstream.close();
  });
  return { client, dataDir, arrivals: upstream.arrivals };
};

const ledgerOf = (dataDir: string): { request: string; status: number | null }[] => {
  const lake = openLakeForReading(dataDir);
  const rows = lake.sqlite.prepare('select request, status from calls order by id').all();
  lake.close();
  return rows as { request: string; status: number | null }[];
};

test('every endpoint is typed, and every call is in the ledger', async () => {
  const { client, dataDir } = await clientOf();
  const feed = await client.feed('tiktok', { limit: 2 });
  expect(feed.total).toBe(120);
  expect(feed.items.map(({ id, views }) => [id, views])).toEqual([
    ['tt_0', 120_000],
    ['tt_1', 119_000],
  ]);
  expect(feed.items[0]?.createdAt).toMatch(/^2026-02-28T23/);
  expect((await client.trends('youtube', 'week')).items).toHaveLength(20);
  expect((await client.hashtags()).items[0]).toMatchObject({ tag: expect.any(String) });
  expect(await client.growth('tt_0')).toContainEqual(expect.objectContaining({ views: 400 }));
  expect((await client.creator('tiktok', '@user0')).handle).toBe('user0');
  expect(client.calls).toEqual({ sent: 5, ok: 5, failed: 0 });
  expect(ledgerOf(dataDir).map((call) => call.status)).toEqual([200, 200, 200, 200, 200]);
});

test('a retry is a separate call, and a final failure says why', async () => {
  const { client, dataDir } = await clientOf([{ on: /feed/, fault: status(404), times: 1 }]);
  await expect(client.feed('tiktok')).rejects.toThrow(/answered 404/);
  expect(ledgerOf(dataDir)).toEqual([
    { request: 'GET /feed/tiktok?dateRange=24h&limit=50&page=1', status: 404 },
  ]);
});

test('a spent month is refused before a call leaves, in words', async () => {
  const { client, arrivals } = await clientOf([], {
    callsPerMonth: 1,
    quotaReset: 'rolling', // the end of a calendar month would be waited for where it is near
  });
  await client.feed('tiktok');
  await expect(client.feed('tiktok')).rejects.toThrow(/1 calls|month/);
  expect(arrivals).toHaveLength(1);
});

test('what cannot be right is refused before anything is made', async () => {
  const given = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: KEY, dataDir: freshFolder() };
  expect(() => createClient({ ...given, baseUrl: 'somewhere' })).toThrow(UsageError);
  const { client } = await clientOf();
  await expect(client.growth('no-prefix')).rejects.toThrow(/prefix/);
});
