import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDialectUpstream } from '../../fixtures/dialect-upstream.ts';
import { WORLD_AT } from '../../fixtures/small-world.ts';
import { lakeConditions } from '../../src/alerts/notify/judge.ts';
import { virtualClock } from '../../src/base/clock.ts';
import type { UpstreamSettings } from '../../src/base/config/upstream-settings.ts';
import { freshFolder, freshLake } from '../support/fresh.ts';
import { CONCURRENCY, syncOnce } from '../support/sync-once.ts';

const syncWith = async (dialects: readonly string[], upstream: UpstreamSettings) => {
  const service = await startDialectUpstream(dialects);
  try {
    const config = { upstream: JSON.stringify(upstream), platforms: 'tiktok,instagram,youtube' };
    const { summary, rows } = await syncOnce(freshFolder(), service.baseUrl, { config });
    return { summary, rows, requests: service.requests };
  } finally {
    await service.close();
  }
};

let plain: Awaited<ReturnType<typeof syncWith>>;
beforeAll(async () => {
  plain = await syncWith([], {});
});
afterAll(() => expect(plain.summary.outcome).toBe('complete'));

describe('with the settings of a dialect, the lake holds the same rows', () => {
  test.each<[string[], UpstreamSettings]>([
    [
      ['words', 'daily', 'prefixes', 'ranges'],
      {
        platforms: { tiktok: 'tik-tok', instagram: 'reels', youtube: 'shorts' },
        periods: { day: 'daily', week: 'weekly', month: 'monthly' },
        idPrefixes: { tiktok: 'tk', instagram: 'insta', youtube: 'yts' },
        dateRanges: { '24h': '1d', '30d': '4w' },
      },
    ],
    [['fraction', 'text'], { engagementRate: 'fraction' }],
    [['offset'], { paging: { style: 'offset' } }],
    [
      ['skip', 'small'],
      { paging: { style: 'offset', parameter: 'skip', sizeParameter: 'take', largest: 25 } },
    ],
    [
      ['zero', 'clamp'],
      { paging: { parameter: 'p', first: 0, sizeParameter: 'per_page', largest: 40 } },
    ],
    [['cursor'], { paging: { style: 'cursor', cursor: 'meta.next' } }],
    [
      ['address', 'envelope'],
      {
        paging: { style: 'cursor', parameter: 'after', cursor: 'links.next' },
        lists: { items: 'payload.rows', total: 'payload.count' },
      },
    ],
    [
      ['link', 'results', 'timeline'],
      {
        paging: { style: 'cursor', cursor: 'Link' },
        lists: { items: ['items', 'results'], total: 'meta.total' },
        growth: { items: 'payload.curve.samples' },
      },
    ],
  ])('%j', async (dialects, upstream) => {
    const { summary, rows } = await syncWith(dialects, upstream);
    expect(summary).toMatchObject({ outcome: 'complete', rejected: 0, drift: [] });
    expect(rows).toEqual(plain.rows);
  });
});

test('pages are as large as the settings say, and calls as many as they make', async () => {
  const { summary, requests } = await syncWith(['skip', 'small'], {
    paging: { style: 'offset', parameter: 'skip', sizeParameter: 'take', largest: 25 },
  });
  expect(summary.outcome).toBe('complete');
  expect(requests.filter((line) => line.includes('/feed/tiktok?'))).toEqual(
    [0, 25, 50, 75, 100].map((skip) => `GET /v1/feed/tiktok?dateRange=24h&take=25&skip=${skip}`),
  );
});

test('a timeline that the service accepts and answers later (202) is loaded, its questions counted', async () => {
  const service = await startDialectUpstream(['accepted']);
  const lake = freshLake();
  try {
    const clock = virtualClock(WORLD_AT);
    const config = { platforms: 'tiktok,instagram,youtube' };
    const options = { lake, clock, config };
    const { summary, rows } = await syncOnce(lake.dataDir, service.baseUrl, options);
    expect(summary).toMatchObject({ outcome: 'complete', calls: { failed: 0 } });
    expect(rows).toEqual(plain.rows);
    const questions = service.requests.filter((line) => line.endsWith('/growth'));
    expect(questions).toHaveLength(6);
    expect(summary.calls.sent).toBe(service.requests.length);
    expect(clock.now()).toBeGreaterThanOrEqual(WORLD_AT + 1000); // Retry-After: 1
  } finally {
    await service.close();
  }
});

describe('a spent quota or balance pauses the run', () => {
  test.each([['payment'], ['forbidden']])('%s', async (dialect) => {
    const service = await startDialectUpstream([dialect], { calls: 4 });
    try {
      const lake = freshLake();
      const { summary } = await syncOnce(lake.dataDir, service.baseUrl, { lake });
      expect(lakeConditions(lake, WORLD_AT)).toContainEqual(
        expect.objectContaining({
          kind: 'run',
          sentence: expect.stringMatching(/paused.*the balance of the key is spent/),
        }),
      );
      expect(summary).toMatchObject({ outcome: 'paused', calls: { ok: 4 } });
      expect(summary.reason).toMatch(/the quota or the balance of the key is spent/);
      expect(summary.resumesAt).toBe('2026-03-01T01:00:00.000Z');
      expect(service.requests.length).toBeLessThanOrEqual(4 + CONCURRENCY);
    } finally {
      await service.close();
    }
  });
});
