import { expect, test } from 'vitest';
import { type Ask, requestLine, requestOf } from '../../src/api/ask.ts';

const page = { limit: 100, page: 2, offset: 100 };

test.each<[Ask, string]>([
  [
    { kind: 'feed', platform: 'tiktok', dateRange: '24h', ...page },
    'GET /feed/tiktok?dateRange=24h&limit=100&page=2',
  ],
  [
    { kind: 'trends', platform: 'youtube', period: 'week', ...page },
    'GET /trends/youtube/week?limit=100&page=2',
  ],
  [{ kind: 'hashtags', dateRange: '30d', ...page }, 'GET /hashtags?dateRange=30d&limit=100&page=2'],
  [
    { kind: 'growth', id: 'yt_a-b_c/../x?y', platform: 'youtube' },
    'GET /videos/yt_a-b_c%2F..%2Fx%3Fy/growth',
  ],
  [
    { kind: 'creator', platform: 'tiktok', handle: 'Äb c#d' },
    'GET /creators/tiktok/%C3%84b%20c%23d',
  ],
  [{ kind: 'analyze', id: 'tt_1' }, 'POST /lab/analyze {"id":"tt_1"}'],
])('%j', (ask, line) => expect(requestLine(ask)).toBe(line));

test('where a page starts is ours to know, not the service', () => {
  const ask: Ask = { kind: 'hashtags', dateRange: '30d', ...page };
  expect(requestOf(ask)).toEqual(requestOf({ ...ask, offset: 0 }));
});
