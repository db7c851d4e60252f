import { beforeAll, describe, expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
const page = async (path: string) => {
  const answer = await fetch(new URL(path, running.service.dashboard));
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

beforeAll(async () => {
  running = await runService((into) => {
    into.video({
      id: 'yt_1',
      title: '</script><img src=x onerror=alert(1)> "quoted"',
      user: '<b>bold</b>',
      tags: ['<i>tag</i>'],
      snapshots: [
        [hoursAgo(30), 5],
        [hoursAgo(1), 1_234_567],
      ],
    });
  });
});

test('the dashboard opens on a platform with data and needs no key', async () => {
  const { status, text, headers } = await page('/');
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(text).toContain('aria-current="true">YouTube');
  expect(text).toContain('1.2M');
  expect(text).toContain('newest count 1 h ago');
  expect((await page('/videos/yt_1')).text).toContain(`[${hoursAgo(30) / 1000},5]`);
});

test('old video addresses redirect to the video page at their instant', async () => {
  const address = new URL(
    '/?platform=youtube&video=yt_1&asOf=2026-03-09T07:00Z',
    running.service.dashboard,
  );
  const { status, headers } = await fetch(address, { redirect: 'manual' });
  expect(status).toBe(302);
  expect(headers.get('location')).toBe('/videos/yt_1?asOf=2026-03-09T07%3A00Z');
});

test('escapes text from the lake', async () => {
  const { text } = await page('/?platform=youtube&video=yt_1');
  expect(text).not.toContain('<img');
  expect(text).not.toContain('<b>bold');
  expect(text).not.toContain('<i>tag');
});

test('as of an instant', async () => {
  expect((await page('/?platform=youtube&asOf=2026-03-09T07:00:00Z')).text).toContain(
    '2026-03-09 07:00 UTC',
  );
});

test('an invalid instant is 400 with an escaped reason, and an empty one is ignored', async () => {
  const { status, text } = await page('/?asOf=%3Cimg%3E');
  expect(status).toBe(400);
  expect(text).toContain('<code dir="auto">asOf</code> <bdi>Expected an ISO 8601 instant');
  expect(text).toContain('got &quot;&lt;img&gt;&quot;');
  expect((await page('/?platform=youtube&asOf=')).status).toBe(200);
});

test('says that the lake had no data yet', async () => {
  const { text } = await page('/?platform=youtube&asOf=2020-01-01T00:00Z');
  expect(text).toContain('The lake had no data yet at this time.');
  expect(text).not.toContain('– views');
});

test('every link within the reference has a target', async () => {
  const { text } = await page('/docs');
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
});

test('the reference shows limits and example responses, and may call this service only', async () => {
  const { text, headers } = await page('/docs');
  const document = (await running.get('/openapi.json')).body as unknown as {
    paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
  };
  const withBody = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ responses }) =>
      Object.entries(responses).some(
        ([status, { content }]) => status < '3' && content !== undefined,
      ),
    );
  expect(text.match(/<summary>Example of 2/g)?.length).toBe(withBody.length);
  for (const tier of ['beta', '50,000', 'scale', '500,000', 'enterprise'])
    expect(text).toContain(`<td>${tier}</td>`);
  expect(headers.get('content-security-policy')).toContain("connect-src 'self'");
  expect((await page('/assets/try-it.js')).status).toBe(200);
});

test.each(['/', '/docs'])('%s has an icon that its policy allows', async (path) => {
  const { text, headers } = await page(path);
  expect(headers.get('content-security-policy')).toContain('img-src data:;');
  const icon = /<link rel="icon" href="data:image\/svg\+xml,([^"]+)">/.exec(text)?.[1] ?? '';
  expect(decodeURIComponent(icon)).toMatch(/^<svg xmlns="[^"]+" {2}viewBox=.*<\/svg>$/);
});

test('pages load scripts and styles from the same origin', async () => {
  const { text } = await page('/videos/yt_1');
  const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, path]) => path as string,
  );
  expect(files).toHaveLength(4);
  for (const file of files) expect((await page(file)).status).toBe(200);
  expect(text).not.toMatch(/(?:src|<link [^>]*href)="https?:/);
  const out = [...text.matchAll(/<a class="out" href="https:[^"]*" rel="([^"]*)"/g)];
  expect(out.map(([, rel]) => rel)).toEqual(['noreferrer']); // a link, followed by whoever clicks it
});

test('browsers revalidate cached scripts, so a newer page never runs an older one', async () => {
  const { headers } = await page('/assets/chart.js');
  expect(headers.get('cache-control')).toBe('no-cache');
  const again = await fetch(new URL('/assets/chart.js', running.service.dashboard), {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
});

test('the reference shows every endpoint with a command to try', async () => {
  const { text } = await page('/docs');
  for (const path of ['/feed/{platform}', '/search', '/lab/analyze', '/usage'])
    expect(text).toContain(path);
  const plain = text.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  const commands = [...plain.matchAll(/<pre>(curl .*)<\/pre>/g)].map(([, command]) => command);
  const { origin } = new URL(running.service.url);
  const subscription = `${origin}/v1/webhooks/sub_5f1c0a9be27d4c3f8a6b1e20`;
  const key = '-H "Authorization: Bearer $KEY"';
  const json = "-H 'Content-Type: application/json' -d";
  expect(commands).toEqual(
    expect.arrayContaining([
      `curl ${key} '${origin}/v1/feed/tiktok'`,
      `curl -X POST ${key} ${json} '{"url":"https://example.com/hook","events":["trend.spike"]}' '${origin}/v1/webhooks'`,
      `curl -X DELETE ${key} '${subscription}'`,
      `curl -X POST ${key} '${subscription}/test'`,
    ]),
  );
  expect(text).toMatch(/<code>url<\/code> <span class="soft small">body, required</);
  expect(text).toContain('id="schema-ContentItem"');
});

test.each(['/', '/docs', '/assets/uplot.js', '/v1/openapi.json'])(
  '%s is compressed for whoever takes that',
  async (path) => {
    expect((await page(path)).headers.get('content-encoding')).toBe('gzip');
  },
);

test('unknown subjects and parameters are error pages with escaped text', async () => {
  const platform = await page('/?platform=snap%3Cb%3E');
  expect(platform.status).toBe(400);
  expect(platform.text).toContain(
    'Expected one of tiktok, instagram, youtube; got &quot;snap&lt;b&gt;',
  );
  const video = await page('/videos/zz%3Cb%3E');
  expect(video.status).toBe(404);
  expect(video.text).toContain('No video &quot;zz&lt;b&gt;&quot; in the lake as of 2026-03-10');
  expect((await page('/trends/vine')).status).toBe(404);
  const unknown = await page('/hashtags?colour=red');
  expect(unknown.status).toBe(400);
  expect(unknown.text).toContain('<code dir="auto">colour</code> <bdi>Unknown parameter.');
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const { status, text } = await page(`/hashtags?${name}=1`);
    expect([name, status]).toEqual([name, 400]);
    expect(text).toContain(`<code dir="auto">${name}</code> <bdi>Unknown parameter.`);
  }
  expect((await page('/?platform=&video=')).status).toBe(200);
});

describe('of a pulled list', () => {
  let pulled: Running;
  beforeAll(async () => {
    pulled = await runService((into) => {
      const snapshots: [number, number][] = [
        [hoursAgo(13), 5],
        [hoursAgo(0), 9],
      ];
      into.video({ id: 'tt_1', snapshots });
      const feed = { list: 'feed', platform: 'tiktok', period: '24h', at: hoursAgo(12) } as const;
      into.video({ id: 'tt_0', snapshots: [[hoursAgo(36), 5]] });
      into.pulled({ ...feed, at: hoursAgo(36), total: 1, ranks: [{ rank: 1, id: 'tt_0' }] });
      into.pulled({ ...feed, total: 983, ranks: [{ rank: 1, id: 'tt_1' }] });
      const tags = { list: 'hashtags', platform: '', period: '30d', at: hoursAgo(12) } as const;
      into.pulled({ ...tags, total: 40 });
      for (let rank = 1; rank <= 40; rank++)
        into.hashtag({
          tag: `tag${rank}`,
          platform: '',
          at: hoursAgo(12),
          window: '30d',
          rank,
          volume: 1000 - rank,
          change: rank === 30 ? 2 : 0.1,
        });
    });
  });

  test('shows what changed, how much of the list is in the lake, its age, and the fastest rising tag', async () => {
    const text = await (await fetch(pulled.service.dashboard)).text();
    expect(text).toContain('<b>1 in the feed</b><span class="one soft small">1 left it');
    expect(text).toContain('1 of 983 matching');
    expect(text).toContain('<span class="up">on time</span>');
    expect(text).toContain('lists pulled 12 h ago');
    expect(text).toContain(
      '<b><a dir="auto" title="#tag30" href="/hashtags/tag30">#tag30</a></b><span class="one soft small">+200 %, of 40 tags',
    );
    expect(text).not.toContain('>tag16<');
    const list = await (await fetch(new URL('/trends/tiktok', pulled.service.dashboard))).text();
    expect(list).toContain('from the API, 12 h ago');
    expect(list).toContain('reported by the API for this list');
  });
});

test('an unknown change is not shown as new', async () => {
  const { text } = await page('/?platform=youtube');
  expect(text).toContain('counted from videos in the lake · change not known yet');
  expect(text).toContain('no change known yet');
  expect(text).not.toContain('>new<');
});

test('a video’s chart says how many stored snapshots only repeat a count', async () => {
  const local = await runService((into) => {
    const key = into.video({
      id: 'tt_1',
      title: 'one',
      snapshots: [
        [hoursAgo(9), 100],
        [hoursAgo(1), 300],
      ],
    });
    into.snapshot(key, [hoursAgo(5), 100], 'feed');
  });
  const text = await (await fetch(new URL('/videos/tt_1', local.service.dashboard))).text();
  expect(text).toContain('2 counts, repeated ones left out: 1.');
});
