import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PLATFORM_PREFIXES, PLATFORMS } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import type { Observations } from '../../../src/ingest/imports/observations.ts';
import { World } from '../../../src/sandbox/world/world.ts';
import { likesAt, type WorldVideo, worldViewsAt } from '../../../src/sandbox/world/world-video.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const world = new World({ seed: 1 });
const month = world.videos({ fromAt: NOW - 35 * DAY_MS, toAt: NOW });

const sorted = (batches: Iterable<Observations>) => {
  const all = [...batches];
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
  return {
    videos: lines(all.flatMap((batch) => batch.videos)),
    snapshots: lines(all.flatMap((batch) => batch.snapshots)),
    creators: lines(all.flatMap((batch) => batch.creators)),
  };
};

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;

const medianFraction = (videos: WorldVideo[], hours: number, horizonHours: number): number =>
  quantile(
    videos.map(
      (video) =>
        worldViewsAt(video, video.bornAt + hours * HOUR_MS) /
        worldViewsAt(video, video.bornAt + horizonHours * HOUR_MS),
    ),
    0.5,
  );

describe('the same world', () => {
  test('comes of the same seed, another of another', () => {
    const span = { fromAt: NOW - 2 * DAY_MS, toAt: NOW };
    expect(new World({ seed: 1 }).videos(span)).toEqual(world.videos(span));
    expect(new World({ seed: 2 }).videos(span)[0]?.id).not.toBe(world.videos(span)[0]?.id);
  });

  test('is observed whatever the interval is cut into', () => {
    const from = NOW - 3 * DAY_MS;
    const small = { seed: 1, creators: 100 };
    const whole = sorted(new World(small).observationsBetween(from, NOW));
    expect(whole.snapshots.length).toBeGreaterThan(1000);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: from, max: NOW }), { maxLength: 5 }), (cuts) => {
        const edges = [from, ...cuts.sort((a, b) => a - b), NOW];
        const fresh = new World(small);
        const parts = edges
          .slice(1)
          .flatMap((to, i) => [...fresh.observationsBetween(edges[i] ?? from, to)]);
        expect(sorted(parts)).toEqual(whole);
      }),
      { numRuns: 8 },
    );
  });

  test('holds the videos of a smaller one', () => {
    const span = { fromAt: NOW - 2 * DAY_MS, toAt: NOW };
    const all = new Set(world.videos(span).map(({ id }) => id));
    const small = new World({ seed: 1, creators: 100 }).videos(span);
    expect(small.length).toBeGreaterThan(20);
    expect(small.filter(({ id }) => !all.has(id))).toEqual([]);
    expect(small.length).toBeLessThan(all.size / 4);
  });

  test('never shows a count of a video before its words', () => {
    const from = NOW - 5 * DAY_MS;
    const known = new Set<string>();
    for (const batch of world.observationsBetween(from, NOW, from)) {
      for (const video of batch.videos) known.add(video.observed.id);
      for (const snapshot of batch.snapshots) expect(known.has(snapshot.observed.id)).toBe(true);
    }
  });
});

describe('a month of videos', () => {
  test('has thousands on each platform, under ids that look like the platform’s', () => {
    const shapes = {
      tiktok: /^tt_\d{19}$/,
      instagram: /^ig_[\w-]{11}$/,
      youtube: /^yt_[\w-]{11}$/,
    };
    for (const platform of PLATFORMS) {
      const videos = month.filter((video) => video.platform === platform);
      expect(videos.length).toBeGreaterThan(2000);
      for (const { id } of videos) expect(id).toMatch(shapes[platform]);
      expect(PLATFORM_PREFIXES[platform]).toBe(videos[0]?.id.slice(0, 2));
    }
    expect(new Set(month.map((video) => video.id)).size).toBe(month.length);
  });

  test('is spread like real views: a log-normal body, a heavier tail', () => {
    const finals = month.map((video) =>
      Math.log(worldViewsAt(video, video.bornAt + 30 * DAY_MS) + 1),
    );
    const [p10, p50, p90, p99] = [0.1, 0.5, 0.9, 0.99].map((share) => quantile(finals, share)) as [
      number,
      number,
      number,
      number,
    ];
    expect((p50 - p10) / 1.2816).toBeGreaterThan(1.3);
    expect((p90 - p50) / 1.2816).toBeLessThan(2.4);
    expect((p99 - p50) / 2.3263).toBeGreaterThan(((p90 - p50) / 1.2816) * 0.98);
  });

  test('grows like real videos: ordinary ones for hours, hits for days', () => {
    const radar = { 3: 0.16, 6: 0.29, 12: 0.45, 24: 0.6, 48: 0.78, 72: 0.89, 120: 0.98 };
    for (const [hours, fraction] of Object.entries(radar))
      expect(Math.abs(medianFraction(month, Number(hours), 168) - fraction)).toBeLessThan(0.06);
    const lists = { 24: 0.32, 48: 0.56, 72: 0.7, 96: 0.81, 120: 0.89 };
    const hits = month.filter((video) => worldViewsAt(video, video.bornAt + 7 * DAY_MS) > 800_000);
    for (const [hours, fraction] of Object.entries(lists))
      expect(Math.abs(medianFraction(hits, Number(hours), 168) - fraction)).toBeLessThan(0.09);
  });

  test('goes down now and then, never often', () => {
    let steps = 0;
    let down = 0;
    for (const video of month)
      for (const [snapshot, at] of video.snapshots.entries()) {
        const before = video.snapshots[snapshot - 1];
        if (before === undefined) continue;
        steps++;
        if (worldViewsAt(video, at) < worldViewsAt(video, before)) down++;
      }
    expect(down / steps).toBeGreaterThan(0.0005);
    expect(down / steps).toBeLessThan(0.015);
  });

  test('has likes in proportion, sometimes hidden, never above views', () => {
    const ratios: number[] = [];
    let hidden = 0;
    for (const video of month) {
      const [views, likes] = [worldViewsAt(video, NOW), likesAt(video, NOW)];
      if (likes === null) hidden++;
      else if (views > 1000) ratios.push(likes / views);
    }
    expect(hidden / month.length).toBeGreaterThan(0.005);
    expect(hidden / month.length).toBeLessThan(0.03);
    expect(quantile(ratios, 0.5)).toBeGreaterThan(0.025);
    expect(quantile(ratios, 0.5)).toBeLessThan(0.05);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(1);
  });

  test('keeps about half of a top 50 from one day to the next', () => {
    for (const platform of PLATFORMS) {
      const top = (at: number) =>
        month
          .filter((video) => video.platform === platform && video.bornAt < at)
          .map((video) => ({
            id: video.id,
            gained: worldViewsAt(video, at) - worldViewsAt(video, at - DAY_MS),
          }))
          .sort((a, b) => b.gained - a.gained)
          .slice(0, 50)
          .map(({ id }) => id);
      const before = new Set(top(NOW - DAY_MS));
      const kept = top(NOW).filter((id) => before.has(id)).length / 50;
      expect(kept).toBeGreaterThan(0.2);
      expect(kept).toBeLessThan(0.85);
    }
  });

  test('is written in many scripts, with emoji, tags and line breaks', () => {
    const titles = month.map((video) => video.titles[0]?.title ?? '');
    const share = (pattern: RegExp) =>
      titles.filter((title) => pattern.test(title)).length / titles.length;
    expect(share(/\p{Emoji_Presentation}/u)).toBeGreaterThan(0.25);
    expect(share(/#[\p{L}\p{M}\p{N}_]+/u)).toBeGreaterThan(0.6);
    for (const script of [
      'Arabic',
      'Hebrew',
      'Hangul',
      'Hiragana',
      'Han',
      'Cyrillic',
      'Devanagari',
      'Thai',
    ])
      expect(share(new RegExp(`\\p{Script=${script}}`, 'u'))).toBeGreaterThan(0.003);
    expect(share(/\n/)).toBeGreaterThan(0.2);
    expect(share(/["“]/)).toBeGreaterThan(0.001);
    expect(titles.filter((title) => title === '').length).toBeGreaterThan(0);
    const changed = month.filter((video) => video.titles.length > 1).length / month.length;
    expect(changed).toBeGreaterThan(0.01);
    expect(changed).toBeLessThan(0.05);
  });

  test('has tags that come from nothing, and tags that stay', () => {
    const weeks = new Map<string, [number, number]>();
    for (const video of month) {
      const age = NOW - video.bornAt;
      if (age > 14 * DAY_MS) continue;
      for (const tag of new Set(video.titles[0]?.title?.match(/#[\p{L}\p{M}\p{N}_]+/gu) ?? [])) {
        const counts = weeks.get(tag) ?? [0, 0];
        counts[age < 7 * DAY_MS ? 0 : 1]++;
        weeks.set(tag, counts);
      }
    }
    const tags = [...weeks.values()];
    expect(tags.filter(([now, before]) => now >= 10 && before <= 1).length).toBeGreaterThan(0);
    expect(
      tags.filter(([now, before]) => before >= 10 && now <= before / 3).length,
    ).toBeGreaterThan(0);
    expect(
      tags.filter(([now, before]) => before >= 20 && now > before / 2 && now < before * 2).length,
    ).toBeGreaterThan(3);
  });
});

describe('creators', () => {
  const observed = [...world.observationsBetween(NOW - 15 * DAY_MS, NOW)].flatMap(
    (batch) => batch.creators,
  );

  test('have one handle each, followings that only grow, totals that hold their videos', () => {
    const last = new Map<string, (typeof observed)[number]>();
    for (const creator of observed.toSorted((a, b) => a.at - b.at)) {
      const key = `${creator.platform} ${creator.handle}`;
      const before = last.get(key);
      if (before !== undefined) {
        expect(creator.followers).toBeGreaterThanOrEqual(before.followers ?? 0);
        expect(creator.videoCount).toBeGreaterThanOrEqual(before.videoCount ?? 0);
      }
      last.set(key, creator);
    }
    for (const video of month.slice(0, 500)) {
      const creator = last.get(`${video.platform} ${video.user}`);
      if (creator === undefined || creator.at < video.bornAt) continue;
      expect(creator.views).toBeGreaterThanOrEqual(worldViewsAt(video, creator.at));
    }
  });

  test('reach further with a larger following', () => {
    const followers = new Map(observed.map((c) => [`${c.platform} ${c.handle}`, c.followers ?? 0]));
    const reach = (from: number, to: number) =>
      quantile(
        month
          .filter((video) => {
            const following = followers.get(`${video.platform} ${video.user}`) ?? -1;
            return following >= from && following < to;
          })
          .map((video) => worldViewsAt(video, video.bornAt + 7 * DAY_MS)),
        0.5,
      );
    expect(reach(500_000, 1e12)).toBeGreaterThan(5 * reach(1000, 20_000));
  });
});
