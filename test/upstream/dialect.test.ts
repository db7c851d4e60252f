import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDialectUpstream } from '../../fixtures/dialect-upstream.ts';
import type { UpstreamSettings } from '../../src/base/config/upstream-settings.ts';
import { freshFolder } from '../support/fresh.ts';
import { syncOnce } from '../support/sync-once.ts';

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
