import { expect, test } from 'vitest';
import { answeredCall } from '../../../fixtures/answered-call.ts';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { isoOf } from '../../../src/base/iso.ts';
import { MOST_TAGS, READ_CHARACTERS } from '../../../src/base/wire/item-bounds.ts';
import { loadResponse } from '../../../src/ingest/responses/load-response.ts';
import { MOST_NEW_FIELDS } from '../../../src/ingest/writers/drift.ts';
import type { Lake } from '../../../src/lake/open.ts';
import type { UpstreamRequest } from '../../../src/upstream/request.ts';
import { freshLake } from '../../support/fresh.ts';
import { responseOf } from '../../support/responses.ts';

const AT = Date.UTC(2026, 0, 15);
const FEED: UpstreamRequest = {
  kind: 'feed',
  platform: 'youtube',
  dateRange: '24h',
  limit: 100,
  page: 1,
  offset: 0,
};

const newCall = ({ sqlite }: Lake): number =>
  sqlite
    .prepare(
      "insert into calls (job, request, sent_at, sender) values ('feed', '/', ?, 'test') returning id",
    )
    .pluck()
    .get(AT) as number;

const load = (lake: Lake, items: readonly object[], request: UpstreamRequest = FEED): void => {
  const callId = newCall(lake);
  const response = responseOf({ total: items.length, items, asOf: isoOf(AT) });
  loadResponse(lake, answeredCall({ request, response, callId, receivedAt: AT }));
};
const driftOf = (lake: Lake) =>
  lake.sqlite
    .prepare("select resource, field, sample from drift where field not like '%(missing)'")
    .all();

test('an item of another platform keeps its counts and has no rank in the list', () => {
  const lake = freshLake();
  load(lake, [
    { id: 'yt_1', platform: 'youtube', views: 1 },
    { id: 'ig_1', platform: 'instagram', views: 2 },
    { id: 'yt_2', views: 3 },
  ]);
  const ranks = lake.sqlite
    .prepare('select rank, video_id from rankings order by rank')
    .raw()
    .all();
  expect(ranks).toEqual([
    [1, 'yt_1'],
    [3, 'yt_2'],
  ]);
  expect(countOf(lake, "select views from videos where id = 'ig_1'")).toBe(2);
  expect(driftOf(lake)).toEqual([
    {
      resource: 'content item',
      field: 'platform (not the one requested)',
      sample: JSON.stringify('ig_1 in a feed of youtube'),
    },
  ]);
});

test('a profile with a video of another platform keeps it and says so', () => {
  const lake = freshLake();
  const request: UpstreamRequest = { kind: 'creator', platform: 'youtube', handle: 'ann' };
  const response = responseOf({ handle: 'ann', followers: 3, videos: [{ id: 'tt_1', views: 9 }] });
  const call = answeredCall({ request, response, callId: newCall(lake), receivedAt: AT });
  expect(call.decoded.drift.map(({ field }) => field)).toContain(
    'platform (not the one requested)',
  );
  loadResponse(lake, call);
  expect(countOf(lake, "select views from videos where id = 'tt_1'")).toBe(9);
});

test('a page of new field names without end makes a thousand rows and one that counts the rest', () => {
  const lake = freshLake();
  const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`field${i}`, i]));
  load(lake, [{ id: 'yt_1', ...fields }]);
  expect(countOf(lake, "select count(*) from drift where resource <> 'response'")).toBe(
    MOST_NEW_FIELDS,
  );
  const more = lake.sqlite
    .prepare("select sample from drift where resource = 'response'")
    .pluck()
    .all();
  expect(more).toHaveLength(1);
  // of the item its fields and seven of the interface's that are missing, of the list one
  const newFields = 30_000 + 7 + 1 - MOST_NEW_FIELDS;
  expect(JSON.parse(String(more[0]))).toMatchObject({ newFields });
  const kept = JSON.parse(lake.sqlite.prepare('select extra from video').pluck().get() as string);
  expect(Object.keys(kept)).toHaveLength(30_000);
});

test.each([
  ['a title of combining marks', { title: 'e\u0301\u0323'.repeat(200_000) }, 'title (too long)', 0],
  [
    'a title of tags without end',
    { title: Array.from({ length: 300_000 }, (_, i) => `#a${i}`).join(' ') },
    'title (too long)',
    MOST_TAGS,
  ],
  [
    'a list of tags without end',
    { hashtags: Array.from({ length: 300_000 }, (_, i) => `a${i}`) },
    'hashtags (unexpected value)',
    MOST_TAGS,
  ],
])('%s is stored whole, read at its beginning and reported once', (_, item, field, tags) => {
  const lake = freshLake();
  load(lake, [{ id: 'yt_1', platform: 'youtube', ...item }]);
  expect(driftOf(lake).map((row) => (row as { field: string }).field)).toEqual([field]);
  expect(countOf(lake, 'select count(*) from video_hashtags')).toBe(tags);
  const { title } = lake.sqlite.prepare('select title from video').get() as {
    title: string | null;
  };
  expect(title).toBe('title' in item ? item.title : null);
  expect(READ_CHARACTERS).toBeLessThan(title?.length ?? Number.POSITIVE_INFINITY);
});
