import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/base/durations.ts';
import { UsageError } from '../../../src/base/errors.ts';
import { isoOf } from '../../../src/base/iso.ts';
import type { FeedResponse, HashtagsResponse } from '../../../src/base/wire/shapes.ts';
import { titleHashtags } from '../../../src/base/wire/title-hashtags.ts';
import { keyList, readValue } from '../../../src/cli/context/option-values.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { SandboxClock } from '../../../src/sandbox/sandbox-clock.ts';
import { World } from '../../../src/sandbox/world/world.ts';
import { titleAt } from '../../../src/sandbox/world/world-video.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

const ask = (sandbox: Sandbox, path: string): Promise<Response> =>
  fetch(sandbox.url + path, { headers: { authorization: `Bearer ${sandbox.key}` } });

const asJson = async <T>(answer: Promise<Response>): Promise<T> => {
  const response = await answer;
  expect(response.status).toBe(200);
  return (await response.json()) as T;
};

describe('the made-up world over HTTP', () => {
  const clock = virtualClock(NOON);
  const sandbox = startSandbox({ clock });
  afterAll(async () => (await sandbox).close());

  test('opens to its key and to no other', async () => {
    const { url } = await sandbox;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    const refused = await fetch(`${url}/feed/tiktok`, { headers: { authorization: 'Bearer no' } });
    expect(refused.status).toBe(401);
  });

  test('answers every list, a timeline and a profile', async () => {
    const running = await sandbox;
    const feed = await asJson<FeedResponse>(ask(running, '/feed/tiktok?limit=20'));
    expect(feed.asOf).toBe(isoOf(NOON));
    expect(feed.items).toHaveLength(20);
    expect(feed.total).toBeGreaterThan(100);
    const [top] = feed.items;
    expect(top?.id).toMatch(/^tt_\d{19}$/);
    for (const period of ['day', 'week', 'month']) {
      const trends = await asJson<FeedResponse>(ask(running, `/trends/youtube/${period}`));
      expect(trends.items).toHaveLength(50);
    }
    const tags = await asJson<{ items: { volume: number }[] }>(ask(running, '/hashtags'));
    expect(tags.items[0]?.volume).toBeGreaterThan(100);
    const growth = await asJson<{ snapshots: unknown[] }>(
      ask(running, `/videos/${top?.id}/growth`),
    );
    expect(growth.snapshots.length).toBeGreaterThan(2);
    const creator = await asJson<{ followers: number; videos: unknown[] }>(
      ask(running, `/creators/tiktok/${encodeURIComponent(top?.user ?? '')}`),
    );
    expect(creator.followers).toBeGreaterThan(0);
    expect(creator.videos.length).toBeGreaterThan(0);
  });

  test.each(['30d', '7d', '24h'])(
    'has hashtags of %s that mostly stay, and some that rise or fall',
    async (window) => {
      const path = `/hashtags?dateRange=${window}&limit=100`;
      const { items } = await asJson<HashtagsResponse>(ask(await sandbox, path));
      const changes = items.map(({ change }) => change ?? 99).sort((a, b) => a - b);
      expect(Math.abs(changes[50] ?? 1)).toBeLessThan(0.15);
      expect(changes[99]).toBeGreaterThan(0.3);
      expect(changes[99]).toBeLessThan(99);
      expect(items.filter(({ sampled }) => sampled === true)).toEqual([]);
    },
  );

  test('its figures of hashtags are those of its world: over all, by platform, and before', async () => {
    const running = await sandbox;
    const { items, asOf } = await asJson<HashtagsResponse>(ask(running, '/hashtags?dateRange=7d'));
    const at = Date.parse(asOf) - SECOND_MS; // the list of 7 days is the second of its midnight
    const world = new World({ seed: 1 }).videos({ fromAt: at - 50 * DAY_MS, toAt: at });
    const carriers = (tag: string, from: number, to: number) =>
      world.filter(
        (video) =>
          video.snapshots.some((snapshot) => snapshot > from && snapshot <= to) &&
          (video.hashtags ?? titleHashtags(titleAt(video, to) ?? '')).some(
            (one) => one.toLowerCase() === tag,
          ),
      );
    for (const { tag, volume, change, platforms } of items.slice(0, 5)) {
      const now = carriers(tag, at - 7 * DAY_MS, at);
      const before = carriers(tag, at - 14 * DAY_MS, at - 7 * DAY_MS);
      // a title that lost the tag later is counted by the world, and not here
      expect(Math.abs(now.length - (volume ?? 0))).toBeLessThanOrEqual(0.02 * now.length + 1);
      expect(now.length / before.length - 1).toBeCloseTo(change ?? 99, 1);
      for (const part of platforms) {
        const its = now.filter((video) => video.platform === part.platform).length;
        expect(Math.abs(its - (part.volume ?? 0))).toBeLessThanOrEqual(0.02 * its + 1);
      }
      const tiktok = await asJson<HashtagsResponse>(
        ask(running, '/hashtags?dateRange=7d&platform=tiktok&limit=100'),
      );
      const part = platforms.find(({ platform }) => platform === 'tiktok');
      if (part !== undefined)
        expect(tiktok.items.find((item) => item.tag === tag)?.volume).toBe(part.volume);
    }
  });

  test('goes on as the clock does, and can be asked about before', async () => {
    const running = await sandbox;
    const before = await asJson<FeedResponse>(ask(running, '/feed/instagram'));
    clock.advanceTo(NOON + 6 * HOUR_MS);
    const after = await asJson<FeedResponse>(ask(running, '/feed/instagram'));
    expect(after.asOf).toBe(isoOf(NOON + 6 * HOUR_MS));
    expect(after.items).not.toEqual(before.items);
    const again = await asJson<FeedResponse>(ask(running, `/feed/instagram?asOf=${isoOf(NOON)}`));
    expect(again).toEqual(before);
  });
});

test('a made-up world is the same whatever the steps by which its clock came there', async () => {
  const paths = ['/trends/tiktok/week?limit=100', '/feed/youtube?limit=100', '/hashtags?limit=100'];
  const clock = virtualClock(NOON);
  const stepped = await startSandbox({ clock, creators: 60 });
  const at = NOON + 30 * HOUR_MS;
  const other = await startSandbox({ clock: virtualClock(at), at, creators: 60 });
  try {
    for (const hours of [0, 0.1, 6, 11, 12, 29, 30]) {
      clock.advanceTo(NOON + hours * HOUR_MS);
      await asJson<FeedResponse>(ask(stepped, '/feed/instagram'));
    }
    for (const path of paths) {
      const here = await asJson<FeedResponse>(ask(stepped, path));
      expect(here.items.length).toBeGreaterThan(20);
      expect(await asJson<FeedResponse>(ask(other, path))).toEqual(here);
    }
  } finally {
    await stepped.close();
    await other.close();
  }
});

describe('a sandbox', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  const observe = (at: number) => {
    const id = 'yt_dQw4w9WgXcQ';
    const video = { id, platform: 'youtube', title: 'a', user: 'b', createdAt: isoOf(at - DAY_MS) };
    writeFileSync(join(folder, 'videos.ndjson'), JSON.stringify(video));
    const snapshots = [at - 10 * HOUR_MS, at].map((time, i) => ({
      id,
      at: isoOf(time),
      views: 1000 * (i + 1),
      likes: 10,
    }));
    writeFileSync(
      join(folder, 'snapshots.ndjson'),
      snapshots.map((l) => JSON.stringify(l)).join('\n'),
    );
  };

  test('accepts more keys, each with its own limits', async () => {
    observe(NOON);
    const keys = readValue('--keys', keyList, 'berlin=beta,oslo=2/1000');
    const sandbox = await startSandbox({ clock: virtualClock(NOON), from: folder, keys });
    try {
      const statusOf = async (key: string) =>
        (await ask({ ...sandbox, key }, '/feed/youtube')).status;
      const [berlin, oslo] = sandbox.keys;
      expect(berlin).toMatchObject({ name: 'berlin', ratePerMinute: 60, callsPerMonth: 50_000 });
      const statuses = [];
      for (let n = 0; n < 3; n++) statuses.push(await statusOf(oslo?.key ?? ''));
      expect(statuses).toEqual([200, 200, 429]);
      expect(await statusOf(berlin?.key ?? '')).toBe(200);
    } finally {
      await sandbox.close();
    }
    for (const wrong of ['berlin', 'berlin=gold', 'a=beta,a=beta', 'a=0/5'])
      expect(() => readValue('--keys', keyList, wrong)).toThrow(
        /--keys must be a comma list of names with a tier/,
      );
  });

  test('over an import stands still at its newest observation', async () => {
    observe(NOON);
    const clock = virtualClock(NOON + 90 * DAY_MS);
    const sandbox = await startSandbox({ clock, from: folder });
    try {
      clock.advanceTo(NOON + 99 * DAY_MS);
      const feed = await asJson<FeedResponse>(ask(sandbox, '/feed/youtube'));
      expect(feed.asOf).toBe(isoOf(NOON));
      expect(feed.items.map(({ views }) => views)).toEqual([2000]);
    } finally {
      await sandbox.close();
    }
  });

  test('keeps its key to the limits of a tier', async () => {
    observe(NOON);
    const clock = virtualClock(NOON);
    const sandbox = await startSandbox({ clock, from: folder, tier: 'beta', ratePerMinute: 2 });
    try {
      const statuses: number[] = [];
      for (let call = 0; call < 3; call++) statuses.push((await ask(sandbox, '/hashtags')).status);
      expect(statuses).toEqual([200, 200, 429]);
      clock.advanceTo(NOON + MINUTE_MS + 1);
      expect((await ask(sandbox, '/hashtags')).status).toBe(200);
    } finally {
      await sandbox.close();
    }
  });

  test('leaves nothing behind, also when it cannot start', async () => {
    observe(NOON);
    const temporary = join(folder, 'temporary'); // of this test alone
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary);
    const sandbox = await startSandbox({ clock: virtualClock(NOON), from: folder });
    expect(readdirSync(temporary)).toHaveLength(1);
    await sandbox.close();
    const nowhere = join(folder, 'nowhere');
    await expect(startSandbox({ clock: virtualClock(NOON), from: nowhere })).rejects.toThrow(
      UsageError,
    );
    writeFileSync(join(folder, 'snapshots.ndjson'), '');
    await expect(startSandbox({ clock: virtualClock(NOON), from: folder })).rejects.toThrow(
      /nothing to show/,
    );
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('its clock', () => {
  test('is the given one without at and speed', () => {
    const clock = virtualClock(NOON);
    const time = new SandboxClock(clock, {});
    clock.advanceTo(NOON + 5);
    expect(time.now()).toBe(NOON + 5);
  });

  test('stands still at `at` until it is moved, and never goes back', () => {
    const clock = virtualClock(NOON);
    const time = new SandboxClock(clock, { at: 1000 });
    clock.advanceTo(NOON + DAY_MS);
    expect(time.now()).toBe(1000);
    time.advanceTo(3000);
    time.advanceTo(2000);
    expect(time.now()).toBe(3000);
  });

  test('runs from `at` as many times as fast as asked', () => {
    const clock = virtualClock(NOON);
    const time = new SandboxClock(clock, { at: 1000, speed: 60 });
    clock.advanceTo(NOON + 10);
    expect(time.now()).toBe(1600);
    time.advanceTo(5000);
    clock.advanceTo(NOON + 20);
    expect(time.now()).toBe(5600);
  });
});

test('where nobody is going to search, no words are indexed, and a search finds them nonetheless', async () => {
  const clock = virtualClock(NOON);
  const sandbox = await startSandbox({ clock, creators: 10, isSearched: false });
  const lake = openLakeForReading(sandbox.dataDir);
  try {
    const waiting = countOf(lake, 'select count(*) from search_pending');
    expect(waiting).toBe(countOf(lake, 'select count(*) from video'));
    const [tag] = (await asJson<HashtagsResponse>(ask(sandbox, '/hashtags'))).items;
    const found = await asJson<FeedResponse>(ask(sandbox, `/search?q=${tag?.tag}`));
    expect(found.total).toBeGreaterThan(0);
  } finally {
    lake.close();
    await sandbox.close();
  }
});
