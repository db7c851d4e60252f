import { expect, test } from 'vitest';
import { httpRequest, requestLine, type UpstreamRequest } from '../../src/upstream/request.ts';

const page = { limit: 100, page: 2, offset: 100 };

test.each<[UpstreamRequest, string]>([
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
])('%j', (request, line) => expect(requestLine(request)).toBe(line));

test('where a page starts is ours to know, not the service', () => {
  const request: UpstreamRequest = { kind: 'hashtags', dateRange: '30d', ...page };
  expect(httpRequest(request)).toEqual(httpRequest({ ...request, offset: 0 }));
});
