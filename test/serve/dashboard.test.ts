import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, test } from 'vitest';
import { isoOf } from '../../src/base/iso.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { ago } from '../../src/serve/pages/figures.ts';
import { freshFolder } from '../support/fresh.ts';
import { hoursAgo, NOW } from './filled-lake.ts';
import { FEED, fillPages } from './page-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await runService(fillPages);
});

const page = async (path: string) => {
  const got = await fetch(new URL(path, running.service.dashboard));
  return { status: got.status, headers: got.headers, text: await got.text() };
};

/** Rows of a CSV whose fields hold no line break. */
const csv = async (path: string): Promise<Record<string, string>[]> => {
  const [head = [], ...rows] = (await page(path)).text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/g)].map(
        ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
      ),
    );
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])));
};

const column = (rows: readonly Record<string, string>[], name: string): string[] =>
  rows.map((row) => row[name] ?? '');

/** One field of API items, as CSV text. */
const shown = (items: readonly Readonly<Record<string, unknown>>[], name: string): string[] =>
  items.map((item) => String(item[name] ?? ''));

/** Follows the links of a list to its end; ids of the videos linked, page by page. */
const follow = async (path: string): Promise<string[][]> => {
  const found: string[][] = [];
  for (let next: string | undefined = path; next !== undefined && found.length < 20; ) {
    const { text }: { text: string } = await page(next);
    found.push(
      [...text.matchAll(/<a class="title"[^>]* href="\/videos\/(\w+)/g)].map(
        ([, id]) => id as string,
      ),
    );
    next = /<a href="([^"]+)">next<\/a>/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return found;
};

describe('pages, files and API show the same numbers', () => {
  test('the feed and the trends', async () => {
    for (const [address, path] of [
      ['/trends/tiktok?format=csv', '/feed/tiktok?limit=100'],
      ['/trends/tiktok?list=week&format=csv', '/trends/tiktok/week?limit=100'],
    ] as const) {
      const { items } = (await running.get(path)).body;
      const rows = (await csv(address)).slice(0, items.length);
      expect(items.length).toBeGreaterThan(2);
      for (const [name, field] of [
        ['id', 'id'],
        ['rank', 'rank'],
        ['title', 'title'],
        ['views', 'views'],
        ['likes', 'likes'],
        ['velocity', 'velocity'],
        ['created_at', 'createdAt'],
      ] as const)
        expect([name, column(rows, name)]).toEqual([name, shown(items, field)]);
    }
  });

  test('hashtags, of all platforms and of one', async () => {
    for (const query of ['', 'platform=tiktok&']) {
      const { items } = (await running.get(`/hashtags?${query}limit=100`)).body;
      const rows = await csv(`/hashtags?${query}format=csv`);
      expect(rows).toHaveLength(60);
      for (const name of ['tag', 'volume', 'views', 'change'])
        expect([name, column(rows, name)]).toEqual([name, shown(items, name)]);
    }
    const { text } = await page('/hashtags/dance');
    expect(text).toContain('title="5,099">5.1K</span>');
    expect((await page('/hashtags')).text).toContain('title="5,099">5.1K</span>');
    const [linked] = await follow('/hashtags/dance');
    const videos = await csv('/hashtags/dance?format=csv&table=videos');
    expect(column(videos, 'id').slice(0, linked?.length)).toEqual(linked);
  });

  test('a search', async () => {
    const { items } = (await running.get('/search?q=music&limit=100')).body;
    expect(column(await csv('/search?q=music&format=csv'), 'id')).toEqual(shown(items, 'id'));
  });

  test('a video and a creator', async () => {
    const { body } = await running.get('/videos/tt_3/growth');
    const snapshots = body.snapshots as Record<string, unknown>[];
    const rows = await csv('/videos/tt_3?format=csv');
    expect(column(rows, 'observed_at')).toEqual(shown(snapshots, 'at'));
    expect(column(rows, 'views')).toEqual(shown(snapshots, 'views'));
    const age = (await page('/videos/tt_3')).text.match(/counted [^<]+/)?.[0];
    expect(age).toBe(`counted ${ago(Date.parse(String(snapshots.at(-1)?.at)), NOW)}`);
    const creator = (await running.get('/creators/tiktok/mira?limit=100')).body;
    expect(creator.followers).toBe(1900);
    const { text } = await page('/creators/tiktok/@mira');
    expect(text).toContain('<dt>followers</dt><dd><span title="1,900">1.9K</span>');
    expect(column(await csv('/creators/tiktok/mira?format=csv'), 'id')).toEqual(
      shown(creator.videos, 'id'),
    );
    const counts = await csv('/creators/tiktok/mira?format=csv&table=followers');
    for (const [name, field] of [
      ['observed_at', 'at'],
      ['followers', 'followers'],
    ] as const)
      expect(column(counts, name)).toEqual(
        shown(creator.growth as Record<string, unknown>[], field),
      );
  });

  test('the current views of the lake', async () => {
    const lake = openLakeForReading(running.dataDir);
    try {
      const read = (sql: string) => lake.sqlite.prepare(sql).all() as Record<string, unknown>[];
      const rising = read('select handle, followers, gained_per_day from creators_rising');
      const rows = await csv('/creators?format=csv');
      expect(column(rows, 'handle')).toEqual(['mira']);
      expect(column(rows, 'gained_per_day')).toEqual(shown(rising, 'gained_per_day'));
    } finally {
      lake.close();
    }
  });
});

describe('lists', () => {
  test('paging reaches every row once', async () => {
    const pages = await follow('/trends/tiktok?limit=50');
    expect(pages.map((ids) => ids.length)).toEqual([50, 50, 20]);
    expect(new Set(pages.flat()).size).toBe(FEED);
    const sorted = await follow('/trends/tiktok?limit=50&sort=views');
    expect(new Set(sorted.flat()).size).toBe(FEED);
    expect(sorted[0]?.slice(0, 3)).toEqual(['tt_1', 'tt_2', 'tt_3']);
    expect((await follow('/creators/tiktok/mira?limit=30')).flat()).toHaveLength(FEED / 3);
    expect((await follow('/hashtags/music?limit=25')).map((ids) => ids.length)).toEqual([
      25, 25, 10,
    ]);
  });

  test('a column head sorts and reverses, with unknown values last', async () => {
    const { text } = await page('/trends/tiktok?sort=-views&limit=5');
    expect(text).toMatch(
      /<th scope="col" class="n" aria-sort="descending"><a href="[^"]*sort=views&/,
    );
    const ids = column(await csv('/trends/tiktok?sort=-likes&format=csv'), 'id');
    expect(ids.slice(0, 2)).toEqual(['tt_1', 'tt_2']);
    expect(ids.at(-1)).toBe('tt_7');
    expect(column(await csv('/trends/tiktok?sort=likes&format=csv'), 'id').at(-1)).toBe('tt_7');
    expect((await page('/trends/tiktok?sort=colour')).status).toBe(400);
  });

  test('a list with missing items shows the total, and a page past the end the last page', async () => {
    expect((await page('/trends/tiktok')).text).toContain(
      '120 of 500 matching items are in the lake',
    );
    const past = await page('/trends/tiktok?page=99');
    expect(past.status).toBe(200);
    expect(past.text).toContain('no rows on page 99 of 3');
  });
});

test('CSV and Parquet hold the same rows, and DuckDB reads both', async () => {
  const folder = freshFolder();
  const duck = await (await DuckDBInstance.create(':memory:')).connect();
  await duck.run("set timezone = 'UTC'"); // else instants are shown in the machine's
  for (const format of ['csv', 'parquet']) {
    const got = await fetch(
      new URL(`/trends/tiktok?sort=-views&format=${format}`, running.service.dashboard),
    );
    expect(got.headers.get('content-disposition')).toBe(
      `attachment; filename="trends-tiktok-feed.${format}"`,
    );
    writeFileSync(join(folder, `list.${format}`), Buffer.from(await got.arrayBuffer()));
  }
  const read = async (format: string) => {
    const rows = await duck.runAndReadAll(
      `select rank, id, title, views, likes, created_at::timestamp as created_at, velocity::double as velocity
       from '${folder}/list.${format}'`,
    );
    return rows.getRowsJson();
  };
  const parquet = await read('parquet');
  expect(parquet).toHaveLength(FEED);
  expect(parquet[0]).toEqual([
    '120',
    'tt_120',
    'clip 120, "quoted" #dance',
    '12000000',
    '0',
    isoOf(hoursAgo(220)).slice(0, 19).replace('T', ' '),
    881,
  ]);
  expect(await read('csv')).toEqual(parquet);
  duck.closeSync();
});

describe('another instant', () => {
  const THEN = isoOf(hoursAgo(10)).slice(0, 16);

  test('every page shows the data of that time, and every link keeps it', async () => {
    for (const path of [
      '/',
      '/trends',
      '/trends/tiktok',
      '/videos/tt_3',
      '/creators',
      '/creators/tiktok/theo',
      '/hashtags',
      '/hashtags/dance',
      '/search?q=clip',
    ]) {
      const { status, text } = await page(`${path}${path.includes('?') ? '&' : '?'}asOf=${THEN}Z`);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain(`Showing data as of <b>${THEN.replace('T', ' ')} UTC</b>`);
      const inside = [
        ...text.matchAll(
          /<a (?:class="(?!arrow|skip|now)[^"]*" )?(?:dir="auto" )?href="(\/[^"]*)"/g,
        ),
      ]
        .map(([, address]) => (address ?? '').replaceAll('&amp;', '&'))
        .filter((address) => !/^\/(?:docs|v1|health)/.test(address));
      expect(inside.length).toBeGreaterThan(5);
      const forgotten = inside.filter((address) => !address.includes('asOf='));
      expect([path, forgotten]).toEqual([path, []]);
    }
  });

  test('the figures are from that time', async () => {
    const then = `asOf=${THEN}Z`;
    const { items } = (await running.get(`/feed/tiktok?limit=100&${then}`)).body;
    const rows = await csv(`/trends/tiktok?format=csv&${then}`);
    expect(column(rows, 'id').slice(0, 100)).toEqual(shown(items, 'id'));
    expect(rows[0]?.id).toBe('tt_61');
    expect((await page(`/videos/tt_3?${then}`)).text).toContain('title="270,000">270.0K</span>');
    expect((await page(`/hashtags/dance?${then}`)).text).toContain('title="4,999">5.0K</span>');
    expect((await page(`/creators?${then}`)).text).toContain('No growth known yet');
    expect((await page(`/creators/tiktok/theo?${then}`)).text).toContain('not counted yet');
  });

  test('before the first data each page says so, and single subjects are 404', async () => {
    const before = 'asOf=2020-01-01T00:00Z';
    for (const path of [
      '/',
      '/trends',
      '/trends/tiktok',
      '/creators',
      '/hashtags',
      '/search?q=clip',
    ])
      expect((await page(`${path}${path.includes('?') ? '&' : '?'}${before}`)).text).toContain(
        'The lake had no data yet at this time.',
      );
    for (const path of ['/videos/tt_3', '/creators/tiktok/mira']) {
      const { status, text } = await page(`${path}?${before}`);
      expect([path, status]).toEqual([path, 404]);
      expect(text).toContain('in the lake as of 2020-01-01');
      expect(text).toContain(`<a class="now" href="${path}">now</a>`);
      expect(text).toContain('href="/search?asOf=2020-01-01T00%3A00Z"');
    }
    const tag = await page(`/hashtags/dance?${before}`);
    expect(tag.status).toBe(200); // it says since when the hashtag is known
  });

  test('a future instant shows the present', async () => {
    const { text } = await page('/trends?asOf=2099-01-01T00:00Z');
    expect(text).not.toContain('You see <b>');
  });
});

test.each([
  ['/trends/vine', 404, 'tiktok, instagram, youtube'],
  ['/trends/tiktok?list=year', 400, 'feed, day, week, month'],
  ['/trends/tiktok?limit=0', 400, 'from 1 to 100'],
  ['/trends/tiktok?limit=5&limit=6', 400, 'Was given 2 times'],
  ['/trends/tiktok?format=xls', 400, 'csv, parquet'],
  ['/hashtags/dance?format=csv&table=creators', 400, 'Expected one of videos'],
  ['/creators/vine/mira', 404, 'tiktok, instagram, youtube'],
  ['/creators/tiktok/nobody', 404, 'No creator &quot;nobody&quot;'],
  ['/hashtags/nothing', 404, 'No hashtag &quot;nothing&quot;'],
  ['/hashtags?dateRange=5y', 400, 'such as 24h'],
  ['/search?q=clip&platform=vine', 400, 'tiktok, instagram, youtube'],
  ['/?asOf=then', 400, 'ISO 8601'],
])('%s is an error page with the reason, %i', async (path, status, told) => {
  const got = await page(path);
  expect([got.status, got.headers.get('content-type')]).toEqual([
    status,
    'text/html; charset=UTF-8',
  ]);
  expect(got.text).toContain(told);
  expect(got.text).toContain('aria-label="Pages"');
  expect(got.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('marks sampled, estimated and unknown figures', async () => {
  const video = (await page('/videos/tt_3')).text;
  expect(video).toMatch(/10,000<\/td><td>[^<]+<span class="mark"[^>]*>estimated</);
  expect(video).toContain('over'); // 1,000,000 not reached
  expect((await page('/hashtags/music')).text).toMatch(
    /videos, 30 d<\/dt><dd>60 <span class="mark"/,
  );
  expect((await page('/creators/tiktok/theo')).text).toContain(
    '<dt>in 7 to 14 days</dt><dd><span class="soft">–',
  );
});

test('the overview lists the newest events of its platform by title and links to all of them', async () => {
  const { text } = await page('/?platform=tiktok');
  const [, first = ''] = /<ul class="plain noticed"><li title="[^"]+">(.*?)<\/li>/.exec(text) ?? [];
  expect(first).toMatch(/^<b>[^<]+<\/b> <span class="soft small">/); // headline and age
  expect(first).toMatch(
    /href="\/videos\/tt_1">clip 1, &quot;quoted&quot; #dance<\/a> <span class="soft small">Spike<\/span>$/,
  );
  expect(text).toContain('href="/events?platform=tiktok">Events</a>');
  expect((await page('/?platform=youtube')).text).toContain('No events on this platform');
});
