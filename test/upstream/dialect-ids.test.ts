import { describe, expect, test } from 'vitest';
import type { UpstreamSettings } from '../../src/base/config/upstream-settings.ts';
import { inOurWords, nextCursor, wireRequest } from '../../src/upstream/dialect.ts';
import type { UpstreamRequest } from '../../src/upstream/request.ts';

const FEED: UpstreamRequest = {
  kind: 'feed',
  platform: 'tiktok',
  dateRange: '24h',
  limit: 10,
  page: 1,
  offset: 0,
};

describe('ids of the service become ours, and back', () => {
  test.each<[string, UpstreamSettings['idPrefixes'], string]>([
    ['a word', { tiktok: 'tk' }, 'tk_7_x-1'],
    ['a word with its separator', { tiktok: 'tiktok:' }, 'tiktok:7_x-1'],
    ['no prefix', { tiktok: '' }, '7_x-1'],
    [
      'the prefix of another platform',
      { tiktok: 'yt', youtube: 'ig', instagram: 'tt' },
      'yt_7_x-1',
    ],
  ])('with %s', (_, idPrefixes, theirs) => {
    const settings = { idPrefixes } as UpstreamSettings;
    const body = { items: [{ id: theirs, platform: 'tiktok' }], total: 1, page: 1 };
    expect(inOurWords(FEED, body, settings)).toMatchObject({ items: [{ id: 'tt_7_x-1' }] });
    const growth = { kind: 'growth', id: 'tt_7_x-1', platform: 'tiktok' } as const;
    expect(wireRequest(growth, settings).path).toBe(`/videos/${encodeURIComponent(theirs)}/growth`);
  });

  test('ids that are ours already and other values stay', () => {
    const settings = { idPrefixes: { tiktok: 'tk' } };
    const items = [{ id: 'tt_1' }, { id: 7 }, 'text', null];
    expect(inOurWords(FEED, { items, total: 4, page: 1 }, settings)).toMatchObject({ items });
  });
});

test('platforms are recognised in any case; unknown ones stay to be rejected', () => {
  const items = ['reels', 'REELS', 'Instagram', 'vine'].map((platform) => ({ platform }));
  const read = inOurWords(FEED, { items }, { platforms: { instagram: 'reels' } });
  expect((read as { items: { platform: string }[] }).items.map(({ platform }) => platform)).toEqual(
    ['instagram', 'instagram', 'instagram', 'vine'],
  );
});

test.each([
  [0.0523, 5.23],
  ['0.1', 10],
  [0, 0],
  [null, null],
  ['n/a', 'n/a'],
])('a fraction of %j is %j percent', (stated, percent) => {
  const body = { items: [{ engagementRate: stated }] };
  expect(inOurWords(FEED, body, { engagementRate: 'fraction' })).toMatchObject({
    items: [{ engagementRate: percent }],
  });
});

test.each<[unknown, string | null]>([
  ['abc', 'abc'],
  [17, '17'],
  ['https://api.example/v1/feed/x?cursor=abc&limit=2', 'abc'],
  ['/v1/feed/x?cursor=a%2Fb', 'a/b'],
  ['?page=2', null],
  [null, null],
  ['', null],
  [false, null],
])('the next cursor of %j is %j', (next, cursor) => {
  const paging = { style: 'cursor', cursor: 'meta.next' } as const;
  expect(nextCursor({ meta: { next } }, {}, { paging })).toBe(cursor);
});
