import fc from 'fast-check';
import { type Filler, hoursAgo } from './filled-lake.ts';

const count = fc.oneof(
  fc.nat({ max: 20 }), // equal ones are common, so that ties are
  fc.nat({ max: 10_000_000 }),
  fc.constant(Number.MAX_SAFE_INTEGER),
);
const unknown = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { nil: null });
const hours = fc.integer({ min: -5, max: 24 * 60 });

const video = fc.record({
  platform: fc.constantFrom('tt', 'ig', 'yt'),
  createdHours: unknown(hours),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 4 }),
  snapshots: fc.uniqueArray(fc.record({ hours, views: unknown(count), likes: unknown(count) }), {
    minLength: 1,
    maxLength: 8,
    selector: (snapshot) => snapshot.hours,
  }),
});

/** Videos of all platforms, with hidden counts, single snapshots and snapshots of the edges of windows. */
export const madeVideos = fc.array(video, { maxLength: 40 });
export type MadeVideo = typeof madeVideos extends fc.Arbitrary<(infer One)[]> ? One : never;

/** Puts made-up videos into a lake. */
export const fillWith = (into: Filler, videos: readonly MadeVideo[]): void => {
  for (const [index, { platform, createdHours, tags, snapshots }] of videos.entries())
    into.video({
      id: `${platform}_${index}`,
      title: `words about ${platform} number ${index % 7}`,
      createdAt: createdHours === null ? null : hoursAgo(createdHours),
      tags,
      snapshots: snapshots
        .toSorted((a, b) => b.hours - a.hours)
        .map(({ hours: at, views, likes }) => [hoursAgo(at), views, likes]),
    });
};
