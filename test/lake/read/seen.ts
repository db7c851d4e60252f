import fc from 'fast-check';
import { loaderOf } from '../../../src/ingest/writers/loader.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { hoursAgo } from '../../serve/filled-lake.ts';

export const WORDS = ['ramen', 'cat', 'dance', 'snow'];
export const HANDLES = ['mika', 'wren'];
const word = fc.constantFrom(...WORDS);
const option = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const further = option(
  fc.dictionary(fc.constantFrom('music', 'shares', 'lang'), fc.nat(3), { maxKeys: 3 }),
);
const counts = { views: option(fc.nat(10_000)), likes: option(fc.nat(900)) };

/** A video as something showed it, so many hours ago. */
export const seenVideo = fc.record({
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
/** A creator's profile as it was pulled, so many hours ago. */
export const seenCreator = fc.record({
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

export const idOf = (video: number): string => `${video < 2 ? 'tt' : 'yt'}_${video}`;

/** Loads them in the order of their instants. */
export const loadSeen = (lake: Lake, { videos, creators }: Seen): void => {
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
