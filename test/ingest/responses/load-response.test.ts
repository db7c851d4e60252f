import { expect, test } from 'vitest';
import { answeredCall } from '../../../fixtures/answered-call.ts';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import { countsOnly } from '../../../src/base/wire/observation.ts';
import { loadObservations } from '../../../src/ingest/imports/observations.ts';
import { loadResponse } from '../../../src/ingest/responses/load-response.ts';
import type { WrittenVolume } from '../../../src/ingest/writers/hashtags.ts';
import { loaderOf } from '../../../src/ingest/writers/loader.ts';
import { type LoadCounts, rowsChanged } from '../../../src/ingest/writers/tally.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { requestLine, type UpstreamRequest } from '../../../src/upstream/request.ts';
import { freshLake } from '../../support/fresh.ts';
import { FEED, HASHTAGS, responseOf } from '../../support/responses.ts';

const AT = Date.UTC(2026, 2, 1, 12);

interface Item {
  id: string;
  views: number;
  title?: string;
}

/** Loads a response as given at an instant, as a separate call. */
const load = (lake: Lake, request: UpstreamRequest, stated: unknown, at: number): LoadCounts => {
  const line = requestLine(request);
  const callId = Number(
    lake.sqlite
      .prepare("insert into calls (job, request, sent_at, sender) values ('feed', ?, ?, 'test')")
      .run(line, at).lastInsertRowid,
  );
  const response = responseOf(stated);
  return loadResponse(lake, answeredCall({ request, response, callId, receivedAt: at }));
};

const loadFeed = (lake: Lake, items: readonly Item[], at: number): LoadCounts =>
  load(lake, FEED, { total: items.length, items, asOf: isoOf(at) }, at);

test('what a response changed is counted, rows of videos known before among them', () => {
  const lake = freshLake();
  const items = [
    { id: 'tt_1', views: 10, title: 'one #tag' },
    { id: 'tt_2', views: 20 },
  ];
  const snapshots = [
    loadFeed(lake, items, AT),
    loadFeed(lake, [{ id: 'tt_1', views: 11 }], AT + HOUR_MS),
    loadFeed(lake, [{ id: 'tt_1', views: 11 }], AT + HOUR_MS),
  ];
  expect(snapshots[1]?.videos).toEqual({ inserted: 0, updated: 1, unchanged: 0 });
  expect(snapshots.map(rowsChanged)).toEqual([2 + 2 + 2 + 2, 1 + 1 + 1, 0]);
});

test('a page of new videos whose transaction was undone is loaded whole the next time', () => {
  const lake = freshLake();
  const loader = loaderOf(lake);
  const observed = Array.from({ length: 60 }, (_, i) =>
    countsOnly({
      id: `tt_${i}`,
      platform: 'tiktok',
      views: i,
      likes: null,
      engagementRate: null,
      extra: null,
    }),
  );
  const loadAll = (settle: () => void): LoadCounts =>
    loader.transaction((tally) => {
      const seen = { at: AT, source: 'feed' } as const;
      loader.writeAll(
        observed.map((one) => ({ observed: one, seen })),
        tally,
      );
    }, settle);
  const undo = (): void => {
    throw new Error('undone');
  };
  expect(() => loadAll(undo)).toThrow('undone');
  expect(countOf(lake, 'select count(*) from videos')).toBe(0);
  expect(loadAll(() => {}).videos.inserted).toBe(60);
  expect(countOf(lake, "select count(*) from videos where id = 'tt_' || views")).toBe(60);
});

test('a page of any length, with one video twice and ids of any text, loads whole', () => {
  const many = Array.from({ length: 250 }, (_, i) => ({
    id: `tt_${i}`,
    views: i,
    title: `#t${i % 7}`,
  }));
  const odd = ['tt_a\0b', "tt_'; --", 'tt_é', 'tt_e\u0301', 'tt_%_'].map((id) => ({
    id,
    views: 5,
  }));
  const items = [...many, ...odd, { id: 'tt_3', views: 3, title: '#t1 #more' }];
  const lake = freshLake();
  loadFeed(lake, items.slice(0, 120), AT - HOUR_MS);
  const counts = loadFeed(lake, items, AT);
  expect(counts.videos).toEqual({ inserted: 135, updated: 1, unchanged: 119 });
  expect(counts.video_snapshots).toEqual({ inserted: 255, updated: 0, unchanged: 0 });
  expect(rowsChanged(loadFeed(lake, items, AT))).toBe(0);
  expect(countOf(lake, "select count(*) from videos where title = '#t1 #more'")).toBe(1);
  expect(countOf(lake, "select count(*) from video_hashtags where video_id = 'tt_3'")).toBe(3);
  expect(countOf(lake, 'select count(*) from videos')).toBe(255);
});

const AT_AGAIN = isoOf(AT);
test.each<[string, UpstreamRequest, unknown, string, unknown[]]>([
  [
    'a video',
    FEED,
    {
      items: [
        { id: 'tt_1', views: 10, likes: 3, note: 'first' },
        { id: 'tt_1', views: 12, more: 1 },
      ],
    },
    'select views, likes, extra from videos',
    [[12, 3, '{"note":"first","more":1}']],
  ],
  [
    'a hashtag',
    HASHTAGS,
    {
      items: [
        { tag: 'Cats', volume: 10, views: 7 },
        { tag: '#cats', volume: 12 },
      ],
    },
    'select volume, views from hashtag_snapshots',
    [[12, 7]],
  ],
  [
    'a hashtag, with its platforms the first time alone,',
    HASHTAGS,
    {
      items: [
        { tag: 'dogs', volume: 11 },
        {
          tag: 'cats',
          platforms: [
            { platform: 'tiktok', volume: 10, views: 7 },
            { platform: 'youtube', volume: 5 },
          ],
        },
        { tag: 'cats', volume: 12 },
        { tag: 'cats', platforms: [{ platform: 'tiktok', volume: 11 }] },
      ],
    },
    `select platform, rank, volume, views from hashtag_snapshots where tag = 'cats'
     order by platform`,
    [
      ['', 2, 12, null],
      ['tiktok', null, 11, 7],
      ['youtube', null, 5, null],
    ],
  ],
  [
    'a platform of a hashtag',
    HASHTAGS,
    {
      items: [
        {
          tag: 'cats',
          platforms: [
            { platform: 'tiktok', volume: 10, views: 7 },
            { platform: 'tiktok', volume: 12 },
          ],
        },
      ],
    },
    "select volume, views from hashtag_snapshots where platform = 'tiktok'",
    [[12, 7]],
  ],
  [
    'a video, with other hashtags each time,',
    FEED,
    {
      items: [
        { id: 'tt_1', views: 10, hashtags: ['one', 'two'] },
        { id: 'tt_1', views: 10, hashtags: ['two', 'three'] },
        { id: 'tt_1', views: 10, hashtags: [] },
        { id: 'tt_1', views: 10 },
      ],
    },
    'select tag from video_hashtags order by position',
    [['one'], ['two'], ['three']],
  ],
  [
    'an instant',
    { kind: 'growth', id: 'tt_1', platform: 'tiktok' },
    [
      { at: AT_AGAIN, views: 10, likes: 3 },
      { at: AT_AGAIN, views: 12 },
    ],
    'select views, likes from video_snapshots',
    [[12, 3]],
  ],
  [
    'a creator once, an instant of theirs twice',
    { kind: 'creator', platform: 'tiktok', handle: 'ann' },
    {
      handle: 'ann',
      followers: 5,
      growth: [
        { at: isoOf(AT - HOUR_MS), followers: 3 },
        { at: isoOf(AT - HOUR_MS), followers: 4 },
      ],
    },
    'select followers from creator_snapshots order by observed_at limit 1',
    [[4]],
  ],
  [
    "a creator's present, at the end of their timeline and then by their profile,",
    { kind: 'creator', platform: 'tiktok', handle: 'ann' },
    {
      handle: 'ann',
      followers: 5,
      growth: [
        { at: isoOf(AT - HOUR_MS), followers: 3 },
        { at: AT_AGAIN, followers: 4, likes: 9 },
      ],
    },
    `select s.followers, s.likes, c.followers, c.likes from creator_snapshots s, creators c
     order by s.observed_at`,
    [
      [3, null, 5, 9],
      [5, 9, 5, 9],
    ],
  ],
])(
  '%s named twice: the later stands as far as it says anything, and again changes nothing',
  (_, request, body, sql, rows) => {
    const lake = freshLake();
    expect(rowsChanged(load(lake, request, body, AT))).toBeGreaterThan(0);
    expect(lake.sqlite.prepare(sql).raw().all()).toEqual(rows);
    expect(rowsChanged(load(lake, request, body, AT))).toBe(0);
    expect(lake.sqlite.prepare(sql).raw().all()).toEqual(rows);
  },
);

test('a hashtag keeps its known volume where a later response leaves it out or cannot mean it', () => {
  const lake = freshLake();
  const known = () =>
    lake.sqlite.prepare("select volume, views from hashtags where tag = 'dance'").get();
  load(lake, HASHTAGS, { items: [{ tag: 'dance', volume: 4, views: 50 }] }, AT);
  load(lake, HASHTAGS, { items: [{ tag: 'dance' }] }, AT + HOUR_MS);
  expect(known()).toEqual({ volume: 4, views: 50 });
  load(lake, HASHTAGS, { items: [{ tag: 'dance', volume: -1, views: 60 }] }, AT + 2 * HOUR_MS);
  expect(known()).toEqual({ volume: 4, views: 60 });
});

test('of the spellings of a hashtag on one page the first is kept', () => {
  const lake = freshLake();
  const items = ['ok', 'Ok', 'OK'].map((tag) => ({ tag, volume: 5 }));
  load(lake, HASHTAGS, { items }, AT);
  expect(lake.sqlite.prepare('select tag from hashtags').pluck().all()).toEqual(['ok']);
});

test('what could not be right is kept of every snapshot, and of an item that a page has twice', () => {
  const lake = freshLake();
  const odd = () =>
    JSON.parse(lake.sqlite.prepare('select extra from videos').pluck().get() as string).odd;
  const looked = (at: number, ...items: object[]) =>
    load(
      lake,
      FEED,
      { items: items.map((item) => ({ id: 'tt_1', ...item })), asOf: isoOf(at) },
      at,
    );
  looked(AT, { views: -1 }, { title: 5 });
  expect(odd()).toEqual({ views: -1, title: 5 });
  looked(AT + HOUR_MS, { likes: 'many', views: -2 });
  looked(AT - HOUR_MS, { user: 7, views: -3 });
  expect(odd()).toEqual({ views: -2, title: 5, likes: 'many', user: 7 });
});

test("a creator's further fields are kept field by field, those of a growth point with the point", () => {
  const lake = freshLake();
  const request: UpstreamRequest = { kind: 'creator', platform: 'tiktok', handle: 'ann' };
  const point = { at: isoOf(AT - HOUR_MS), followers: -3, region: 'DE' };
  const profile = { handle: 'ann', followers: 5, bio: 'b', link: 'l', growth: [point] };
  load(lake, request, { ...profile, asOf: isoOf(AT) }, AT);
  const later = isoOf(AT + HOUR_MS);
  const now = { at: later, followers: 6, region: 'FR' };
  load(lake, request, { handle: 'ann', bio: 'c', growth: [now], asOf: later }, AT + HOUR_MS);
  const [extra] = lake.sqlite.prepare('select extra from creators').pluck().all() as string[];
  expect(JSON.parse(extra ?? '')).toEqual({ bio: 'c', link: 'l' });
  const snapshots = lake.sqlite
    .prepare('select followers, extra from creator_snapshots order by observed_at')
    .all();
  expect(snapshots).toEqual([
    { followers: null, extra: '{"region":"DE","odd":{"followers":-3}}' },
    { followers: 5, extra: null },
    { followers: 6, extra: '{"region":"FR"}' },
  ]);
});

test('what was pulled of a hashtag stands over what was counted, in whatever order they come', () => {
  const list = (item: object) => ({ total: 1, page: 1, asOf: isoOf(AT), items: [item] });
  const counted = list({
    tag: 'mossy',
    volume: 5,
    views: 50,
    change: null,
    sampled: true,
    platforms: [{ platform: 'tiktok', volume: 5, views: 50 }],
  });
  const pulled = list({
    tag: 'mossy',
    volume: 400,
    views: null,
    change: 0.5,
    platforms: [{ platform: 'tiktok', volume: 5, views: 50 }],
  });
  const rows = (lake: Lake): unknown[] =>
    lake.sqlite
      .prepare(
        'select platform, volume, views, change, source from hashtag_snapshots order by platform',
      )
      .raw()
      .all();
  for (const order of [
    [counted, pulled],
    [pulled, counted],
  ]) {
    const lake = freshLake();
    for (const stated of order) load(lake, HASHTAGS, stated, AT + HOUR_MS);
    expect(rows(lake)).toEqual([
      ['', 400, null, 0.5, 'hashtags'],
      ['tiktok', 5, 50, null, 'hashtags'],
    ]);
    for (const stated of order)
      expect(rowsChanged(load(lake, HASHTAGS, stated, AT + HOUR_MS))).toBe(0);
  }
});

test('imported figures of a hashtag take precedence over counted ones, which give its rank alone', () => {
  const item = { tag: 'mossy', volume: 5, views: 50, change: 0.1, sampled: true };
  const counted = { total: 1, page: 1, asOf: isoOf(AT), items: [item] };
  const imported: WrittenVolume = {
    tag: 'mossy',
    platform: '',
    at: AT,
    volume: 400,
    views: null,
    change: null,
    rank: null,
    extra: null,
    window: null,
    source: 'import',
  };
  const loadCounted = (lake: Lake) => load(lake, HASHTAGS, counted, AT + HOUR_MS);
  const importIt = (lake: Lake) =>
    loadObservations(lake, { videos: [], snapshots: [], hashtags: [imported], creators: [] });
  for (const order of [
    [loadCounted, importIt],
    [importIt, loadCounted],
  ]) {
    const lake = freshLake();
    for (const loadOne of order) loadOne(lake);
    expect(
      lake.sqlite
        .prepare('select volume, views, change, window, rank, source from hashtag_snapshots')
        .raw()
        .all(),
    ).toEqual([[400, null, null, null, 1, 'import']]);
    for (const loadOne of order) expect(rowsChanged(loadOne(lake))).toBe(0);
  }
});
