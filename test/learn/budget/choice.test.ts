import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { chooseCalls } from '../../../src/learn/budget/choice.ts';
import { learnShowing } from '../../../src/learn/budget/creator-pages.ts';
import { curveLibrary } from '../../../src/learn/budget/curves.ts';
import { largest } from '../../../src/learn/budget/largest.ts';
import { PlanLadder } from '../../../src/learn/budget/price.ts';
import { FIRST_CREATOR } from '../../../src/learn/budget/tracked.ts';
import { draws } from '../../support/draws.ts';
import { type TrackedVideo, trackedVideos } from './tracked-videos.ts';

const NOW = Date.UTC(2026, 2, 10);
const ladders = PLATFORMS.map((platform) => new PlanLadder(curveLibrary(platform, [])));
const showing = learnShowing([]);

interface Shape {
  ageHours: number;
  sinceHours: number;
  views?: number;
  /** Views at half the age of the last refresh. */
  before?: number;
  creator?: number;
  listInHours?: number;
}

const videoOf = ({ ageHours, sinceHours, views = 1000, before, creator = -1 }: Shape) => {
  const createdAt = NOW - ageHours * HOUR_MS;
  const lastAt = NOW - sinceHours * HOUR_MS;
  const last = { at: lastAt, views };
  const refreshes =
    before === undefined ? [last] : [{ at: (createdAt + lastAt) / 2, views: before }, last];
  const video: TrackedVideo = { platform: 'tiktok', creator, createdAt, refreshes };
  return video;
};

const choose = (
  shapes: Shape[],
  calls: number,
  withCreators = false,
  pageAt: ReadonlyMap<number, number> = new Map(),
) =>
  chooseCalls({
    now: NOW,
    calls,
    callsPerDay: calls,
    tracked: trackedVideos(shapes.map(videoOf)),
    listRefreshAt: new Map(
      shapes.flatMap(({ listInHours }, i) =>
        listInHours === undefined ? [] : [[i, NOW + listInHours * HOUR_MS]],
      ),
    ),
    pageAt,
    ladders,
    ...(withCreators ? { showing } : {}),
  });

const videosIn = (choices: ReturnType<typeof choose>) =>
  choices.map((choice) => (choice.kind === 'growth' ? choice.video : -1));

const shape = fc
  .record({
    ageHours: fc.double({ min: 0.1, max: 60_000, noNaN: true }),
    waited: fc.double({ min: 0, max: 1, noNaN: true }),
    views: fc.integer({ min: 0, max: 1e9 }),
    creator: fc.integer({ min: -1, max: 5 }),
    listInHours: fc.option(fc.double({ min: -5, max: 50, noNaN: true }), { nil: undefined }),
    platform: fc.constantFrom(...PLATFORMS),
  })
  .map(({ waited, ...rest }) => ({ ...rest, sinceHours: rest.ageHours * waited }));

test('never chooses more than it may, nothing twice, the best first, and always alike', () => {
  fc.assert(
    fc.property(
      fc.array(shape, { maxLength: 60 }),
      fc.integer({ min: 0, max: 30 }),
      fc.boolean(),
      fc.dictionary(fc.constantFrom('3', '4', '5'), fc.integer({ min: 0, max: 300 })),
      (shapes, calls, withCreators, pages) => {
        const pageAt = new Map(
          Object.entries(pages).map(([group, hours]) => [Number(group), NOW - hours * HOUR_MS]),
        );
        const choices = choose(shapes as Shape[], calls, withCreators, pageAt);
        expect(choices.length).toBeLessThanOrEqual(calls);
        const names = choices.map((c) => (c.kind === 'growth' ? `v${c.video}` : `c${c.creator}`));
        expect(new Set(names).size).toBe(names.length);
        const worths = choices.map(({ reason }) => reason.worthHours);
        expect(worths).toEqual(worths.toSorted((a, b) => b - a));
        expect(worths.every((worth) => worth > 0)).toBe(true);
        expect(JSON.parse(JSON.stringify(choices))).toEqual(choices);
        expect(choose(shapes as Shape[], calls, withCreators, pageAt)).toEqual(choices);
      },
    ),
    { numRuns: draws(40) },
  );
});

test('of two alike the one that waited longer goes first', () => {
  fc.assert(
    fc.property(fc.double({ min: 2, max: 500, noNaN: true }), (lookedAtHours) => {
      const alike = (sinceHours: number) => ({ ageHours: lookedAtHours + sinceHours, sinceHours });
      const choices = choose([alike(lookedAtHours / 8), alike(lookedAtHours)], 1);
      expect(videosIn(choices)).toEqual([1]);
    }),
  );
});

test('a riser goes before one that stands still, and both before one just looked at', () => {
  const riser = { ageHours: 30, sinceHours: 10, views: 9000, before: 2000 };
  const still = { ageHours: 30, sinceHours: 10, views: 9000, before: 9000 };
  const fresh = { ageHours: 30, sinceHours: 0, views: 9000, before: 2000 };
  expect(videosIn(choose([fresh, still, riser], 3))).toEqual([2, 1]);
});

test('a video that a list will show anyway waits for the list', () => {
  const due = { ageHours: 24, sinceHours: 12 };
  const choices = choose([{ ...due, listInHours: 0.2 }, due], 2);
  expect(videosIn(choices)).toEqual([1, 0]);
  expect(choices[1]?.reason.nextListRefreshInHours).toBe(0.2);
});

test('one call for a creator with many waiting videos goes before single refreshes', () => {
  const waiting = { ageHours: 40, sinceHours: 20 };
  const shapes = [...new Array(8).fill({ ...waiting, creator: 3 }), { ...waiting, creator: 1 }];
  const [first, second] = choose(shapes, 2, true);
  expect(first).toMatchObject({ kind: 'creator', creator: 3, reason: { trackedVideos: 8 } });
  expect(second).toMatchObject({ kind: 'growth', video: 8 });
});

test('creator calls that showed nothing are not made again', () => {
  const nothing = learnShowing(new Array(200).fill({ tracked: 20, shown: [] }));
  const tracked = trackedVideos(
    new Array(8).fill(videoOf({ ageHours: 40, sinceHours: 20, creator: 0 })),
  );
  const input = { now: NOW, calls: 4, callsPerDay: 4, tracked, ladders, showing: nothing };
  expect(chooseCalls(input).map(({ kind }) => kind)).toEqual(new Array(4).fill('growth'));
});

test('a creator whose page was requested and did not show their videos waits as if it had shown them', () => {
  const waiting = { ageHours: 40, sinceHours: 20, creator: 0 };
  const shapes: Shape[] = new Array(8).fill(waiting);
  const pageAt = (hoursAgo: number) => new Map([[FIRST_CREATOR, NOW - hoursAgo * HOUR_MS]]);
  const kinds = (at?: ReadonlyMap<number, number>) =>
    choose(shapes, 3, true, at).map(({ kind }) => kind);
  expect(kinds()[0]).toBe('creator');
  expect(kinds(pageAt(0))).toEqual(['growth', 'growth', 'growth']);
  expect(kinds(pageAt(15))[0]).toBe('creator');
  expect(kinds(pageAt(30))).toEqual(kinds());
});

test('a dormant video is refreshed rarely, but not never', () => {
  const active = 30;
  const videos = Array.from({ length: active }, () => ({ born: NOW, last: NOW, refreshes: 0 }));
  videos.push({ born: NOW - 400 * DAY_MS, last: NOW, refreshes: 0 });
  for (let day = 1; day <= 400; day++) {
    const now = NOW + day * DAY_MS;
    const tracked = trackedVideos(
      videos.map(({ born, last }, i): TrackedVideo => {
        // Active ones are reborn every ten days: there is always something that moves more.
        const createdAt = i < active ? now - ((day + i) % 10) * DAY_MS - HOUR_MS : born;
        const views = i < active ? 1e5 : 5000;
        const earlier = { at: (createdAt + last) / 2, views: i < active ? 1e4 : 5000 };
        const refreshes = last > createdAt + HOUR_MS ? [earlier, { at: last, views }] : [];
        return { platform: 'tiktok', creator: -1, createdAt, refreshes };
      }),
    );
    for (const choice of chooseCalls({ now, calls: 8, callsPerDay: 8, tracked, ladders })) {
      const video = choice.kind === 'growth' ? videos[choice.video] : undefined;
      if (video === undefined) continue;
      video.last = now;
      video.refreshes++;
    }
  }
  const dormant = videos[active]?.refreshes ?? 0;
  expect(dormant).toBeGreaterThanOrEqual(1);
  expect(dormant).toBeLessThan(40);
});

test('the largest values come first, ties by number', () => {
  expect(largest(Float64Array.of(1, 5, 0, 5, 2), 3)).toEqual([1, 3, 4]);
  expect(largest(Float64Array.of(1, 1, 1), 2)).toEqual([0, 1]);
  expect(largest(Float64Array.of(0, -1), 5)).toEqual([]);
  expect(largest(Float64Array.of(3), 0)).toEqual([]);
});

test('the largest of many are those that sorting all would give', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -2, max: 9 }), { maxLength: 80 }),
      fc.integer({ min: 0, max: 12 }),
      (values, count) => {
        const sorted = [...values.keys()]
          .filter((i) => (values[i] ?? 0) > 0)
          .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
        expect(largest(Float64Array.from(values), count)).toEqual(sorted.slice(0, count));
      },
    ),
    { numRuns: draws(100) },
  );
});

test('of a creator with very many videos the newest are those that a page shows, whatever their keys', () => {
  const videos = Array.from({ length: 300 }, (_, i): TrackedVideo => {
    const createdAt = NOW - (1 + ((i * 7919) % 300)) * HOUR_MS;
    return { platform: 'tiktok', creator: 0, createdAt, refreshes: [{ at: NOW, views: i }] };
  });
  const { groups, key, createdAt } = trackedVideos(videos);
  const first = groups.from.at(-1) ?? 0;
  const newest = createdAt.slice(first, first + 64);
  expect([...newest]).toEqual(Array.from(newest, (_, rank) => NOW - (rank + 1) * HOUR_MS));
  expect(key.toSorted()).toEqual(Uint32Array.from(videos.keys()));
  for (const [slot, video] of key.entries()) expect(createdAt[slot]).toBe(videos[video]?.createdAt);
});

test('videos nobody ever came back to do not drive the price out of reach', () => {
  const left = Array.from({ length: 500 }, (_, i) => ({
    ageHours: 3000 + i,
    sinceHours: 2999 + i,
  }));
  for (const { reason } of choose(left, 5)) {
    expect(reason.rule).toBe('due');
    expect(reason.priceHours).toBeLessThan(reason.worthHours * 10);
  }
});
