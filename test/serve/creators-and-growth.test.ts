import { beforeAll, expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
const get: Running['get'] = (path, init) => running.get(path, init);

beforeAll(async () => {
  running = await runService((into) => {
    into.creator({
      platform: 'tiktok',
      handle: 'ada',
      rate: 7.5,
      extra: { bio: 'x' },
      snapshots: [
        [hoursAgo(50), 100, 3, 1000, 10],
        [hoursAgo(5), 200],
      ],
    });
    into.video({
      id: 'tt_1',
      user: 'ada',
      createdAt: hoursAgo(2000),
      snapshots: [[hoursAgo(6), 1_000_000]],
    });
    into.video({
      id: 'tt_2',
      user: 'ada',
      createdAt: hoursAgo(10),
      snapshots: [[hoursAgo(6), 500_000]],
    });
    into.video({
      id: 'tt_3',
      user: 'ada',
      createdAt: null,
      extra: { asOf: 'theirs' },
      snapshots: [[hoursAgo(6), null]],
    });
    into.video({ id: 'yt_9', user: 'ada', snapshots: [[hoursAgo(6), 1]] });
    into.video({ id: 'yt_8', user: 'Kanal ÄÖ/Ü & Co', snapshots: [[hoursAgo(6), 1]] });
    into.video({ id: 'yt_7', user: '@muskan', snapshots: [[hoursAgo(6), 1]] });
    into.creator({
      platform: 'instagram',
      handle: 'Zoë.Lang',
      snapshots: [[hoursAgo(5), 7]],
    });
    into.video({ id: 'ig_1', user: 'zoe\u0308.lang', snapshots: [[hoursAgo(6), 1]] });
    into.video({ id: 'ig_2', user: '@ZOË.LANG', snapshots: [[hoursAgo(6), 3]] });
    into.video({
      id: 'ig_3',
      user: 'other',
      snapshots: [[hoursAgo(60), 1]],
      revisions: [{ untilAt: hoursAgo(20), title: 't', user: 'Zoë.LANG' }],
    });
    for (const handle of ['Twin', 'twin'])
      into.creator({
        platform: 'instagram',
        handle,
        snapshots: [[hoursAgo(5), handle === 'twin' ? 2 : 1]],
      });
    into.video({
      id: 'tt_4',
      user: 'renamed',
      snapshots: [[hoursAgo(60), 1]],
      revisions: [{ untilAt: hoursAgo(20), title: 't', user: 'before' }],
    });
    const echo = into.video({
      id: 'tt_echo',
      snapshots: [
        [hoursAgo(9), 10, 1],
        [hoursAgo(8), 10, 1],
      ],
    });
    into.snapshot(echo, [hoursAgo(7), 10, 1], 'feed');
    into.snapshot(echo, [hoursAgo(6), 25, null], 'feed');
    into.snapshot(echo, [hoursAgo(5), 25, 1], 'trends');
    into.snapshot(echo, [hoursAgo(4), 25, 1], 'growth');
    into.video({
      id: 'tt_a/b.-_c',
      snapshots: [
        [hoursAgo(9), 100, 5],
        [hoursAgo(8), 90, null],
        [hoursAgo(7), 0, 0],
      ],
    });
  });
});

test("a profile's videos come in pages, past the last one none", async () => {
  const page = async (number: number): Promise<unknown[]> =>
    (await get(`/creators/tiktok/ada?limit=2&page=${number}`)).body.videos.map(({ id }) => id);
  const whole = (await get('/creators/tiktok/ada')).body.videos;
  expect([...(await page(1)), ...(await page(2))]).toEqual(whole.map(({ id }) => id));
  expect((await get('/creators/tiktok/ada?limit=2&page=2')).body.videos).toMatchObject([
    { rank: 3 },
  ]);
  expect(await page(3)).toEqual([]);
  const refused = await get('/creators/tiktok/ada?page=0');
  expect([refused.status, refused.body.errors]).toMatchObject([400, [{ parameter: 'page' }]]);
});

test('a profile: numbers as last known, videos by views a day of their life, growth oldest first', async () => {
  const { body } = await get('/creators/tiktok/ada');
  expect(Object.keys(body)).toEqual([
    'platform',
    'handle',
    'followers',
    'videoCount',
    'views',
    'likes',
    'engagementRate',
    'videos',
    'growth',
    'bio',
    'asOf',
  ]);
  expect(body).toMatchObject({
    followers: 200,
    videoCount: 3,
    views: 1000,
    likes: 10,
    engagementRate: 7.5,
  });
  expect(body.videos.map((item) => item.id)).toEqual(['tt_2', 'tt_1', 'tt_3']);
  expect(body.growth).toEqual([
    { at: '2026-03-08T10:00:00.000Z', followers: 100, views: 1000, likes: 10 },
    { at: '2026-03-10T07:00:00.000Z', followers: 200, views: null, likes: null },
  ]);
});

test('as of earlier: the numbers of then, the rate computed', async () => {
  const { body } = await get('/creators/tiktok/ada?asOf=2026-03-09T00:00:00Z');
  expect(body).toMatchObject({ followers: 100, engagementRate: 1, videos: [] });
  expect(body.growth).toHaveLength(1);
});

test('a leading @, blanks, slashes and umlauts in a handle', async () => {
  expect((await get('/creators/tiktok/@ada')).body.handle).toBe('ada');
  const channel = await get(`/creators/youtube/${encodeURIComponent('Kanal ÄÖ/Ü & Co')}`);
  expect(channel.status).toBe(200);
  expect(channel.body).toMatchObject({
    followers: null,
    videoCount: null,
    views: null,
    likes: null,
    engagementRate: null,
    growth: [],
  });
  expect(channel.body.videos).toHaveLength(1);
});

test('a handle that the lists write with an @ is found under it and without', async () => {
  for (const written of ['muskan', '@muskan']) {
    const { status, body } = await get(`/creators/youtube/${written}`);
    expect(status).toBe(200);
    expect(body.videos.map((item) => item.id)).toEqual(['yt_7']);
  }
});

test.each(['Zoë.Lang', 'zoë.lang', '@ZOË.LANG', 'zoe\u0308.lang', 'ｚｏë.lang'])(
  'a creator is found whatever the case and the Unicode form of the handle: %s',
  async (written) => {
    const path = `/creators/instagram/${encodeURIComponent(written)}`;
    const { status, body } = await get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ handle: 'Zoë.Lang', followers: 7 });
    expect(body.videos.map((item) => item.id)).toEqual(['ig_2', 'ig_1']);
    const then = await get(`${path}?asOf=2026-03-09T00:00:00Z`);
    expect(then.body.videos.map((item) => item.id)).toEqual(['ig_3']);
  },
);

test('of two profiles whose handles differ in case alone, the one that is spelled as asked', async () => {
  for (const [written, handle, followers] of [
    ['Twin', 'Twin', 1],
    ['twin', 'twin', 2],
    ['TWIN', 'Twin', 1],
  ])
    expect((await get(`/creators/instagram/${written}`)).body).toMatchObject({ handle, followers });
});

test('a handle that only videos show is found in another case', async () => {
  const { body } = await get('/creators/youtube/Muskan');
  expect(body.videos.map((item) => item.id)).toEqual(['yt_7']);
});

test('a renamed creator answers to the name of the instant', async () => {
  expect((await get('/creators/tiktok/before')).status).toBe(404);
  expect((await get('/creators/tiktok/before?asOf=2026-03-09T00:00:00Z')).status).toBe(200);
  expect((await get('/creators/tiktok/renamed?asOf=2026-03-09T00:00:00Z')).status).toBe(404);
});

test('an unknown creator is 404', async () => {
  const { status, body } = await get('/creators/tiktok/nobody');
  expect(status).toBe(404);
  expect(body).toMatchObject({ type: '/problems/not-found', status: 404 });
});

test('growth: every snapshot as observed, decreases and zeros too; odd ids', async () => {
  const { body } = await get(`/videos/${encodeURIComponent('tt_a/b.-_c')}/growth`);
  expect(body).toMatchObject({ id: 'tt_a/b.-_c', platform: 'tiktok' });
  expect(body.snapshots).toEqual([
    { at: '2026-03-10T03:00:00.000Z', views: 100, likes: 5, engagementRate: 5 },
    { at: '2026-03-10T04:00:00.000Z', views: 90, likes: null, engagementRate: null },
    { at: '2026-03-10T05:00:00.000Z', views: 0, likes: 0, engagementRate: null },
  ]);
  expect(Object.keys(body.curve as object)).toEqual(['points', 'peak', 'doublingHours', 'phase']);
});

test('a list that repeats known counts adds no snapshot, one with other counts does', async () => {
  const { body } = await get('/videos/tt_echo/growth');
  expect((body.snapshots as { views: number }[]).map(({ views }) => views)).toEqual([
    10, 10, 25, 25,
  ]);
});

test('the response of a video has asOf once, even if it was pulled as a field', async () => {
  const { text, body } = await get('/videos/tt_3');
  expect(body.asOf).toBe('2026-03-10T12:00:00.000Z');
  expect(text.match(/"asOf"/g)).toHaveLength(1);
});
