import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { hoursAgo } from '../serve/filled-lake.ts';
import { type Running, runService } from '../serve/running.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/api.md'), 'utf8');

/** Each command of the page, the status it says comes, and the fields it says the response has. */
const tour = [...page.matchAll(/```sh\n(curl .+)\n```\n\n(\d{3})(?:: (.+))?\n/g)].map(
  ([, command = '', status, fields = '']) => ({
    command,
    status: Number(status),
    fields: [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  }),
);

/** Of the pulled list of hashtags: videos on TikTok and on YouTube. */
const VOLUMES: readonly [tag: string, tiktok: number, youtube: number][] = [
  ['ramen', 1214, 300],
  ['dance', 700, 41],
];

let running: Running;
beforeAll(async () => {
  running = await runService((into) => {
    into.video({
      id: 'tt_1',
      title: 'Slow cooking: the ramen of Ōsaka',
      user: 'mika.cooks',
      tags: ['ramen'],
      snapshots: [
        [hoursAgo(30), 100, 9],
        [hoursAgo(5), 5000, 400],
        [hoursAgo(1), 12_000, 900],
      ],
    });
    into.creator({
      platform: 'tiktok',
      handle: 'mika.cooks',
      snapshots: [
        [hoursAgo(25), 650],
        [hoursAgo(1), 700],
      ],
    });
    const list = { list: 'hashtags', platform: '', period: '7d', at: hoursAgo(2) } as const;
    into.pulled({ ...list, total: 2 });
    for (const [index, [tag, tiktok, youtube]] of VOLUMES.entries()) {
      const own = { tag, at: list.at, window: list.period };
      into.hashtag({ ...own, platform: '', volume: tiktok + youtube, rank: index + 1 });
      into.hashtag({ ...own, platform: 'tiktok', volume: tiktok });
      into.hashtag({ ...own, platform: 'youtube', volume: youtube });
    }
  });
});

/** Runs one command of the page as a reader's shell would; curl prints the status on stderr. */
const runCommand = async (command: string): Promise<{ status: number; body: string }> => {
  const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', command], {
    cwd: running.dataDir,
    env: {
      ...process.env,
      HOME: running.dataDir, // nobody's .curlrc
      URL: running.service.url,
      AUTH: `Authorization: Bearer ${running.key}`,
      VIDEO: 'tt_1',
      HANDLE: 'mika.cooks',
    },
  });
  return { status: Number(/status (\d+)/.exec(stderr)?.[1]), body: stdout };
};

test('every command of the page says what comes', () => {
  const commands = page.split('\n').filter((line) => line.startsWith('curl '));
  expect(tour.map(({ command }) => command)).toEqual(commands);
});

test('every endpoint of the interface is on the page', async () => {
  const { body } = await running.get('/openapi.json');
  const missing = Object.keys(body.paths as object)
    .filter((path) => !path.startsWith('/webhooks/')) // docs/guides/webhooks.md shows those
    .map((path) => path.replace(/\{\w+\}/g, '[^/?" ]+'))
    .filter((path) => !tour.some(({ command }) => new RegExp(`\\$URL${path}[?"]`).test(command)));
  expect(missing).toEqual([]);
});

test.each(tour)('$status: $command', async ({ command, status, fields }) => {
  const told = command.replace(/^curl /, 'curl -sS -w "%{stderr}status %{http_code}" ');
  const came = await runCommand(told);
  expect(came.status).toBe(status);
  const body: unknown = came.body === '' ? {} : JSON.parse(came.body);
  expect(Object.keys(body as object)).toEqual(fields);
});

test('the search of the page finds', async () => {
  const { body: found } = await running.get('/search?q=%22slow%20cooking%22%20ramen%20-instant');
  expect(found.items.map(({ id }) => id)).toEqual(['tt_1']);
});

test('an earlier instant shows what was known then', async () => {
  const { body: then } = await running.get('/feed/tiktok?asOf=2026-03-09T12:00:00Z');
  expect(then.items.map(({ views }) => views)).toEqual([100]);
});

/** The response to the page's own command for a path. */
const answerTo = async <T>(path: string): Promise<T> => {
  const example = tour.find(({ command }) => command.includes(path));
  if (example === undefined) throw new Error(`the page shows no ${path}`);
  return JSON.parse((await runCommand(example.command)).body) as T;
};

interface Counts {
  readonly id: string;
  readonly views: number;
  readonly likes: number;
  readonly engagementRate: number;
  readonly velocity: number | null;
  readonly hashtags?: readonly string[];
}
interface List {
  readonly total: number;
  readonly items: readonly Counts[];
}

test('the figures of all examples agree: one video, whoever shows it', async () => {
  const video = await answerTo<Counts>('/videos/$VIDEO"');
  const growth = await answerTo<{
    snapshots: readonly (Counts & { at: string })[];
    curve: {
      points: { views: number; viewsPerHour: number | null }[];
      peak: { viewsPerHour: number };
    };
  }>('/videos/$VIDEO/growth');
  const creator = await answerTo<{
    followers: number;
    videos: readonly Counts[];
    growth: readonly { followers: number }[];
  }>('/creators/tiktok/@$HANDLE?limit=5');
  const shown = [
    ...(await answerTo<List>('/feed/tiktok?dateRange=24h&limit=3')).items,
    ...(await answerTo<List>('/trends/tiktok/week?limit=3')).items,
    ...(await answerTo<List>('/search')).items,
    ...creator.videos,
  ].filter(({ id }) => id === video.id);
  expect(shown).toHaveLength(4);
  const { views, likes, engagementRate, hashtags } = video;
  for (const item of shown) expect(item).toMatchObject({ views, likes, engagementRate, hashtags });
  const velocities = shown.map(({ velocity }) => velocity).filter((known) => known !== null);
  expect(new Set(velocities).size).toBe(1);
  expect(engagementRate).toBeCloseTo((100 * likes) / views, 9);
  expect(growth.snapshots.at(-1)).toMatchObject({ views, likes, engagementRate });
  const { points, peak } = growth.curve;
  expect(points.at(-1)?.views).toBe(views);
  expect(peak.viewsPerHour).toBe(Math.max(...points.map((point) => point.viewsPerHour ?? 0)));
  expect(creator.growth.at(-1)?.followers).toBe(creator.followers);

  const then = await answerTo<List & { asOf: string }>('asOf=');
  const known = growth.snapshots.findLast(({ at }) => at <= then.asOf);
  expect(then.items[0]).toMatchObject({ id: video.id, views: known?.views, likes: known?.likes });
});

test('the figures of all examples agree: one hashtag, with its platform and without', async () => {
  interface Tags {
    readonly items: readonly {
      tag: string;
      volume: number;
      change: number | null;
      platforms: { platform: string; volume: number }[];
    }[];
  }
  const path = '/hashtags?platform=tiktok&dateRange=7d';
  const tiktok = await answerTo<Tags>(path);
  const all = (await running.get(path.replace('platform=tiktok&', ''))).body as unknown as Tags;
  expect(all.items.length).toBeGreaterThan(1);
  for (const { tag, volume, platforms } of all.items) {
    expect(platforms.reduce((sum, part) => sum + part.volume, 0)).toBe(volume);
    const part = platforms.find(({ platform }) => platform === 'tiktok');
    const own = tiktok.items.find((item) => item.tag === tag);
    expect(own?.volume).toBe(part?.volume);
    expect(own?.platforms).toEqual([part]);
  }
  expect(JSON.stringify([all, tiktok])).not.toContain('sampled');
});

test('the figures of all examples agree: what a key spent', async () => {
  interface Usage {
    readonly minute: { limit: number; used: number; remaining: number };
    readonly month: { limit: number; used: number; remaining: number };
    readonly days: readonly { requests: number }[];
  }
  const before = await answerTo<Usage>('/usage');
  await answerTo('/feed/tiktok?dateRange=24h&limit=3');
  const after = await answerTo<Usage>('/usage');
  for (const span of ['minute', 'month'] as const) {
    expect(after[span].used).toBe(before[span].used + 2);
    expect(after[span].used + after[span].remaining).toBe(after[span].limit);
  }
  expect(after.days.reduce((sum, { requests }) => sum + requests, 0)).toBe(after.month.used);
});
