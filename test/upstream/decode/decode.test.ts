import { describe, expect, test } from 'vitest';
import { FIELDS, HOLDERS } from '../../../src/base/wire/field-table.ts';
import { type DecodedResponse, decodeResponse } from '../../../src/upstream/decode/decode.ts';
import { UnreadableResponseError } from '../../../src/upstream/errors.ts';
import type { UpstreamRequest } from '../../../src/upstream/request.ts';
import { FEED, HASHTAGS, responseOf } from '../../support/responses.ts';

const GROWTH: UpstreamRequest = { kind: 'growth', id: 'tt_1', platform: 'tiktok' };
const CREATOR: UpstreamRequest = { kind: 'creator', platform: 'tiktok', handle: 'ann' };

const decode = <K extends DecodedResponse['kind']>(
  kind: K,
  request: UpstreamRequest,
  body: unknown,
): Extract<DecodedResponse, { kind: K }> => {
  const decoded = decodeResponse(request, responseOf(body));
  if (decoded.kind !== kind) throw new Error(`expected ${kind}, got ${decoded.kind}`);
  return decoded as Extract<DecodedResponse, { kind: K }>;
};
const feed = (body: unknown) => decode('videos', FEED, body);
const item = {
  id: 'tt_1',
  platform: 'tiktok',
  title: 'A #b',
  user: 'ann',
  views: 10,
  likes: 1,
  engagementRate: 10,
  createdAt: '2026-03-01T00:00:00Z',
};

describe('a list is found', () => {
  test.each(HOLDERS.list)('under %s', (name) => {
    expect(feed({ total: 7, [name]: [item] })).toMatchObject({ total: 7, length: 1 });
  });
  test.each(HOLDERS.list)('one level deeper, under data.%s', (name) => {
    expect(feed({ data: { total: 7, [name]: [item] } })).toMatchObject({ total: 7, length: 1 });
  });
  test('bare, without total and page', () => {
    expect(feed([item])).toMatchObject({
      total: null,
      length: 1,
      drift: [{ resource: 'list', field: 'items (as a bare list)', sample: [item] }],
    });
  });
  test.each([{}, { items: {} }, { list: [item] }, 'text', 5, null, { data: { data: {} } }])(
    'not in %j: the page cannot be read, and asking again will not help',
    (body) => {
      expect(() => feed(body)).toThrow(UnreadableResponseError);
      try {
        feed(body);
      } catch (error) {
        expect(error).toMatchObject({ transient: false, status: 200 });
      }
    },
  );
});

describe('content items', () => {
  test('the shown fields are read by name', () => {
    const [placed] = feed({ total: 1, page: 1, items: [item] }).items;
    expect(placed).toEqual({
      position: 0,
      item: {
        ...item,
        createdAt: Date.UTC(2026, 2, 1),
        hashtags: null,
        score: null,
        snapshotExtra: null,
        velocity: null,
        extra: null,
      },
    });
  });

  test('numbers may come as text; null and missing stay null', () => {
    const { id, platform } = item;
    const [all, none, nulls] = feed([
      { ...item, views: '10', likes: '1', engagementRate: '10.5', createdAt: 1_772_323_200 },
      { id, platform },
      Object.fromEntries(Object.keys(item).map((name) => [name, name === 'id' ? id : null])),
    ]).items.map((placed) => placed.item);
    expect(all).toMatchObject({ views: 10, likes: 1, engagementRate: 10.5 });
    expect(all?.createdAt).toBe(Date.UTC(2026, 2, 1));
    for (const empty of [none, nulls])
      expect(empty).toMatchObject({ title: null, user: null, views: null, extra: null });
  });

  test('a field that cannot be right is null, its original kept, the item stays', () => {
    const odd = {
      views: -1,
      likes: 1.5,
      title: 7,
      user: ['x'],
      createdAt: 'never',
      engagementRate: 'NaN',
      hashtags: 'dance',
    };
    const { items, rejected, drift } = feed({ total: 1, page: 1, items: [{ ...item, ...odd }] });
    expect(items[0]?.item).toMatchObject({ id: 'tt_1', views: null, likes: null, extra: { odd } });
    expect(rejected).toEqual([]);
    expect(drift.map(({ field }) => field).sort()).toEqual(
      Object.keys(odd)
        .map((name) => `${name} (unexpected value)`)
        .sort(),
    );
  });

  test('a number past 2^53 - 1 is kept digit by digit', () => {
    const body = Buffer.from('[{"id":"tt_1","views": 9007199254740993}]');
    expect(feed(body).items[0]?.item.extra).toEqual({ odd: { views: '9007199254740993' } });
  });

  test('unknown fields are kept and reported, each with what was seen', () => {
    const { items, drift } = feed({
      items: [{ ...item, shares: 3 }],
      next: 'x',
      page: 1,
      total: 1,
    });
    expect(items[0]?.item.extra).toEqual({ shares: 3 });
    expect(drift).toEqual([
      { resource: 'list', field: 'next', sample: 'x' },
      { resource: 'content item', field: 'shares', sample: 3 },
    ]);
  });

  test('an item without usable id or platform is rejected with its reason; the page stays', () => {
    const bad = [
      { ...item, id: undefined },
      { ...item, id: 5 },
      { ...item, id: '' },
      { ...item, id: 'x'.repeat(10_240) },
      { ...item, platform: 'vimeo' },
      { ...item, platform: 'youtube' },
      { id: 'noprefix' },
      null,
      'text',
      [],
    ];
    const { items, rejected, length } = feed([...bad, item]);
    expect(items).toHaveLength(1);
    expect(items[0]?.position).toBe(bad.length);
    expect(length).toBe(bad.length + 1);
    expect(rejected.map(({ item: raw }) => raw)).toEqual(JSON.parse(JSON.stringify(bad)));
    for (const { reason } of rejected) expect(reason.length).toBeLessThan(200);
  });
});

describe('hashtags', () => {
  const tags = (body: unknown) => decode('hashtags', HASHTAGS, body);
  const names = (what: 'tag' | 'volume' | 'views') =>
    FIELDS.hashtag[what].names.map((name) => [name]);
  test.each(names('tag'))('tag under %s, with or without #', (name) => {
    expect(tags([{ [name]: '#fyp' }, { [name]: 'fyp' }]).items.map((t) => t.item.tag)).toEqual([
      'fyp',
      'fyp',
    ]);
  });
  test.each(names('volume'))('volume under %s', (name) => {
    expect(tags([{ tag: 'a', [name]: 5 }]).items[0]?.item).toMatchObject({
      volume: 5,
      extra: null,
    });
  });
  test.each(names('views'))('views under %s', (name) => {
    expect(tags([{ tag: 'a', [name]: 5 }]).items[0]?.item).toMatchObject({ views: 5, extra: null });
  });
  test('platforms with a name nobody knows are odd; a tag of nothing is rejected', () => {
    const platforms = [{ platform: 'tiktok', volume: 1, views: null }, { platform: 'vimeo' }, 'x'];
    const { items, rejected } = tags([{ tag: 'a', platforms }, { tag: '#' }, { tag: 5 }]);
    expect(items[0]?.item.platforms).toEqual([{ platform: 'tiktok', volume: 1, views: null }]);
    expect(items[0]?.item.extra).toHaveProperty('odd');
    expect(rejected).toHaveLength(2);
  });
  test('a tag has no # and no blanks around it, in whatever order they come', () => {
    const { items, rejected } = tags([{ tag: '# a' }, { tag: ' #＃ a ' }, { tag: '# #' }]);
    expect(items.map(({ item }) => item.tag)).toEqual(['a', 'a']);
    expect(rejected.map(({ item }) => item)).toEqual([{ tag: '# #' }]);
  });
});

describe('a response that names something else than requested is reported', () => {
  const analyze: UpstreamRequest = { kind: 'analyze', id: 'tt_1' };
  const fieldsOf = (request: UpstreamRequest, body: unknown): string[] =>
    decodeResponse(request, responseOf(body))
      .drift.map(({ resource, field }) => `${resource}: ${field}`)
      .filter((text) => text.includes('not the one requested'));
  test.each<[string, UpstreamRequest, object, string]>([
    ['a timeline', GROWTH, { id: 'tt_2', snapshots: [] }, 'growth: id (not the one requested)'],
    [
      'a profile',
      CREATOR,
      { handle: 'bob', followers: 1 },
      'creator: handle (not the one requested)',
    ],
    ['an analysis', analyze, { id: 'tt_2' }, 'analysis: id (not the one requested)'],
  ])('%s', (_, request, body, field) => expect(fieldsOf(request, body)).toEqual([field]));
  test('not where it is named otherwise', () => {
    for (const id of ['tt_1', '1', 1, null, undefined]) {
      expect(fieldsOf(GROWTH, { id, snapshots: [] })).toEqual([]);
      expect(fieldsOf(analyze, { id })).toEqual([]);
    }
    for (const handle of ['ann', '@Ann', null])
      expect(fieldsOf(CREATOR, { handle, followers: 1 })).toEqual([]);
  });
});

describe('growth', () => {
  const growth = (body: unknown) => decode('growth', GROWTH, body);
  const point = { at: '2026-03-01T00:00:00Z', views: 5, likes: 1 };
  test.each(HOLDERS.timeline)('timeline under %s, also one level deeper', (name) => {
    expect(growth({ [name]: [point] }).points).toHaveLength(1);
    expect(growth({ data: { [name]: [point] } }).points).toHaveLength(1);
  });
  test('a bare timeline', () => expect(growth([point]).points).toHaveLength(1));
  test('fields that a served lake adds are not drift', () =>
    expect(growth({ timeline: [point], forecast: null, other: 1 }).drift).toEqual([
      { resource: 'growth', field: 'other', sample: 1 },
    ]));
  test.each(FIELDS.point.at.names)('time under %s: ISO, Unix seconds or milliseconds', (name) => {
    const at = Date.UTC(2026, 2, 1);
    const times = ['2026-03-01', at, at / 1000, String(at)];
    const { points } = growth(times.map((time) => ({ [name]: time })));
    expect(points.map((read) => read.at)).toEqual(Array(4).fill(at));
  });
  test.each(FIELDS.point.views.names)('views under %s', (name) => {
    expect(growth([{ at: point.at, [name]: '7' }]).points[0]).toMatchObject({ views: 7 });
  });
  test.each(FIELDS.point.likes.names)('likes under %s', (name) => {
    expect(growth([{ at: point.at, [name]: 7 }]).points[0]).toMatchObject({ likes: 7 });
  });
  test('a point without a time is rejected, an odd one stays', () => {
    const { points, rejected } = growth([{ views: 1 }, { ...point, views: -5, shares: 2 }]);
    expect(points[0]?.extra).toEqual({ shares: 2, odd: { views: -5 } });
    expect(rejected).toHaveLength(1);
  });
});

describe('creators', () => {
  const creator = (body: unknown) => decode('creator', CREATOR, body);
  test.each(FIELDS.creator.handle.names)('handle under %s, without @', (name) => {
    expect(creator({ [name]: '@Ann' }).profile.handle).toBe('Ann');
  });
  test.each(FIELDS.creator.followers.names)('followers under %s', (name) => {
    expect(creator({ [name]: 5 }).profile).toMatchObject({ followers: 5, extra: null });
  });
  test.each(HOLDERS.creatorVideos)('videos under %s', (name) => {
    expect(creator({ [name]: [item, { id: 5 }] })).toMatchObject({
      items: [{ id: 'tt_1' }],
      rejected: [{ item: { id: 5 } }],
    });
  });
  test('what is not said is null; the handle is then the one asked for', () => {
    expect(creator({ videos: [] }).profile).toEqual({
      platform: 'tiktok',
      handle: 'ann',
      followers: null,
      videoCount: null,
      views: null,
      likes: null,
      engagementRate: null,
      extra: null,
    });
  });
  test.each([[[]], [{}], [{ things: [] }], [{ platform: 'tiktok', asOf: null }]])(
    'not in %j: no profile of nulls',
    (body) => expect(() => creator(body)).toThrow(UnreadableResponseError),
  );
});

describe('bodies', () => {
  const text = JSON.stringify({ items: [{ ...item, title: 'Tänze 踊' }] });
  const title = (body: Buffer, type?: string): string | null | undefined => {
    const decoded = decodeResponse(FEED, responseOf(body, type));
    return decoded.kind === 'videos' ? decoded.items[0]?.item.title : undefined;
  };
  test.each([
    ['with a byte order mark', Buffer.from(`\ufeff${text}`), undefined],
    ['of an unexpected content type', Buffer.from(text), 'text/html'],
    ['without a content type', Buffer.from(text), ''],
    ['of a charset nobody knows', Buffer.from(text), 'application/json; charset=klingon'],
    ['UTF-8 that says it is Latin-1', Buffer.from(text), 'application/json; charset=iso-8859-1'],
    ['UTF-16 that says so', Buffer.from(text, 'utf16le'), 'application/json; charset=utf-16le'],
  ])('%s are read', (_, body, type) => expect(title(body, type)).toBe('Tänze 踊'));

  test('Latin-1 that says so is read', () => {
    const latin = Buffer.from(JSON.stringify([{ ...item, title: 'Tänze' }]), 'latin1');
    expect(title(latin, 'application/json; charset="ISO-8859-1"')).toBe('Tänze');
  });

  test.each([
    ['cut short', Buffer.from(text.slice(0, -5))],
    ['empty', Buffer.alloc(0)],
    ['HTML', Buffer.from('<html>Sign in</html>')],
    ['invalid UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d])],
  ])('%s: unreadable, and worth another try', (_, body) => {
    try {
      title(body);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableResponseError);
      expect(error).toMatchObject({ transient: true });
      expect(String(error).length).toBeLessThan(400);
    }
  });
});

test('the instant a response is true at is read where it says so', () => {
  expect(feed({ items: [], asOf: '2026-03-01T00:00:00Z' }).asOf).toBe(Date.UTC(2026, 2, 1));
  const odd = feed({ total: 0, page: 1, items: [], asOf: 'soon' });
  expect(odd.asOf).toBeNull();
  expect(odd.drift).toEqual([
    { resource: 'list', field: 'asOf (unexpected value)', sample: 'soon' },
  ]);
  expect(feed([]).asOf).toBeNull();
});

test('the larger number of matching items is the total; paging ends with what can be paged to', () => {
  expect(feed({ total: 200, matched: 590, page: 1, items: [item] })).toMatchObject({
    total: 590,
    pageable: 200,
    drift: [],
  });
  expect(feed({ total: 200, page: 1, items: [item] })).toMatchObject({ total: 200, pageable: 200 });
});
