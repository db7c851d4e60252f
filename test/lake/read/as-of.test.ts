import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { loaderOf } from '../../../src/ingest/writers/loader.ts';
import { computeList, type ListQuery } from '../../../src/lake/lists/computed-list.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { readContentItems } from '../../../src/lake/read/content-items.ts';
import { creatorProfile } from '../../../src/lake/read/creator-profile.ts';
import { timeline, videoByIdAsOf, videoRecord } from '../../../src/lake/read/timeline.ts';
import { searchPage } from '../../../src/lake/search/search-page.ts';
import { hoursAgo, NOW } from '../../serve/filled-lake.ts';
import { draws } from '../../support/draws.ts';
import { freshLake } from '../../support/fresh.ts';

// What was answered as of T while the lake knew nothing later is answered for ever.

const WORDS = ['ramen', 'cat', 'dance', 'snow'];
const HANDLES = ['mika', 'wren'];
const word = fc.constantFrom(...WORDS);
const option = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const further = option(
  fc.dictionary(fc.constantFrom('music', 'shares', 'lang'), fc.nat(3), { maxKeys: 3 }),
);
const counts = { views: option(fc.nat(10_000)), likes: option(fc.nat(900)) };

const seenVideo = fc.record({
  video: fc.nat(3),
  hours: fc.integer({ min: 0, max: 200 }),
  title: option(
    fc.array(
      fc.oneof(
        word,
        word.map((one) => `#${one}`),
      ),
      { maxLength: 3 },
    ),
  ),
  user: option(fc.constantFrom(...HANDLES)),
  hashtags: option(fc.uniqueArray(word, { maxLength: 3 })),
  engagementRate: option(fc.nat(9)),
  extra: further,
  ...counts,
});
const seenCreator = fc.record({
  hours: fc.integer({ min: 0, max: 200 }),
  handle: fc.constantFrom(...HANDLES),
  engagementRate: option(fc.nat(9)),
  followers: option(fc.nat(500)),
  extra: further,
  ...counts,
});
type SeenVideo = typeof seenVideo extends fc.Arbitrary<infer T> ? T : never;
type SeenCreator = typeof seenCreator extends fc.Arbitrary<infer T> ? T : never;
interface Seen {
  readonly videos: readonly SeenVideo[];
  readonly creators: readonly SeenCreator[];
}

const idOf = (video: number): string => `${video < 2 ? 'tt' : 'yt'}_${video}`;

const load = (lake: Lake, { videos, creators }: Seen): void => {
  const loader = loaderOf(lake);
  for (const { video, hours, title, ...seen } of videos.toSorted((a, b) => b.hours - a.hours))
    loader.transaction(
      (tally) => {
        const words = { title: title?.join(' ') ?? null, createdAt: hoursAgo(240) };
        const platform = video < 2 ? 'tiktok' : 'youtube';
        const item = { id: idOf(video), platform, ...words, ...seen } as const;
        loader.write(
          { ...item, snapshotExtra: null },
          { at: hoursAgo(hours), source: 'feed' },
          tally,
        );
      },
      () => {},
    );
  for (const { hours, ...seen } of creators.toSorted((a, b) => b.hours - a.hours))
    loader.transaction(
      (tally) => {
        const profile = { platform: 'tiktok', videoCount: null, ...seen } as const;
        const unsaid = { growth: [], snapshotExtra: null };
        loader.creators.write({ ...profile, ...unsaid, at: hoursAgo(hours) }, 'creator', tally);
      },
      () => {},
    );
};

const QUESTIONS: readonly ListQuery[] = [
  { list: 'feed', platform: 'tiktok', windowMs: 3 * DAY_MS },
  { list: 'trends', platform: 'youtube', period: 'week' },
  { list: 'hashtags', platform: '', windowMs: 7 * DAY_MS },
  { list: 'hashtags', platform: 'tiktok', windowMs: 2 * DAY_MS },
];

/** Everything that can be asked as of an instant, as text. */
const answers = (lake: Lake, asOf: number): string[] => {
  const clock = virtualClock(NOW);
  const lists = QUESTIONS.map((wanted) => {
    const { total, items } = computeList(lake, { wanted, asOf, from: 0, count: 50 }, clock);
    return { total, items };
  });
  const videos = [0, 1, 2, 3].map((video) => {
    const found = videoByIdAsOf(lake, idOf(video), asOf);
    if (found === undefined) return null;
    const entry = { key: found.key, rank: 1, score: null, velocity: null };
    return [
      videoRecord(lake, found.key, asOf),
      readContentItems(lake, [entry], asOf, 'seen').text(),
      timeline(lake, found.key, asOf),
    ];
  });
  const creators = HANDLES.map((handle) =>
    creatorProfile(lake, { platform: 'tiktok', handle, asOf, limit: 9 }),
  );
  const searches = [...WORDS, ...HANDLES, 'ramen cat', '"cat dance"', 'cat -snow', 'da*'].map((q) =>
    searchPage(lake, { q, limit: 9, page: 1, asOf, deadlineMs: 60_000 }, { clock }),
  );
  return [lists, videos, creators, searches].flat().map((answer) => JSON.stringify(answer));
};

test('what was answered as of an instant is answered for ever, byte by byte', () => {
  fc.assert(
    fc.property(
      fc.array(seenVideo, { maxLength: 14 }),
      fc.array(seenCreator, { maxLength: 6 }),
      fc.integer({ min: 1, max: 199 }),
      (videos, creators, hours) => {
        const lake = freshLake();
        const until = (seen: { hours: number }): boolean => seen.hours >= hours;
        const later = (seen: { hours: number }): boolean => !until(seen);
        load(lake, { videos: videos.filter(until), creators: creators.filter(until) });
        const asOf = hoursAgo(hours) + HOUR_MS / 2;
        const before = answers(lake, asOf);
        load(lake, { videos: videos.filter(later), creators: creators.filter(later) });
        expect(answers(lake, asOf)).toEqual(before);
        lake.close();
      },
    ),
    { numRuns: draws(30) },
  );
});
