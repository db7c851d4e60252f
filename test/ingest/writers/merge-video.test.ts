import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type KnownVideo,
  lastSeenOf,
  mergeVideo,
  type SeenVideo,
  type VideoFacts,
} from '../../../src/ingest/writers/merge-video.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const text = maybe(fc.constantFrom('a', 'b', 'c'));
const number = maybe(fc.integer({ min: 0, max: 9 }));
const facts = { title: text, user: text, views: number, likes: number, engagementRate: number };
const field = fc.constantFrom('x', 'y', '__proto__');
const extra = maybe(
  fc
    .dictionary(field, fc.integer({ min: 0, max: 3 }), { maxKeys: 2 })
    .map((it) => JSON.stringify(it)),
);

const seenVideo: fc.Arbitrary<SeenVideo> = fc.record({
  id: fc.constant('tt_1'),
  platform: fc.constant('tiktok' as const),
  at: maybe(fc.integer({ min: 0, max: 5 })),
  ...facts,
  createdAt: number,
  hashtags: fc.constant(null),
  extra,
  snapshotExtra: fc.constant(null),
});
const knownVideo: fc.Arbitrary<KnownVideo> = fc.record({
  key: fc.constant(1),
  ...facts,
  createdAt: number,
  firstSeenAt: maybe(fc.integer({ min: 0, max: 5 })),
  countedAt: maybe(fc.integer({ min: 0, max: 5 })),
  statedAt: maybe(fc.integer({ min: 0, max: 5 })),
  extra,
});

const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** The lake's row after an observation of words and counts: its facts, and when it was seen. */
const rowAfter = (known: KnownVideo, seen: SeenVideo): KnownVideo => ({
  ...mergeVideo(known, seen),
  key: known.key,
  countedAt: later(known.countedAt, seen.at),
  statedAt: later(known.statedAt, seen.at),
});
const COUNTS = ['views', 'likes', 'engagementRate'] as const;
const WORDS = ['title', 'user', 'createdAt'] as const;
const COLUMNS = [...WORDS, ...COUNTS] as const;

describe('properties', () => {
  test('merging the same again changes nothing', () => {
    fc.assert(
      fc.property(knownVideo, seenVideo, (known, seen) => {
        const once = rowAfter(known, seen);
        expect(rowAfter(once, seen)).toEqual(once);
      }),
    );
  });

  test('the newer observation wins, column by column', () => {
    fc.assert(
      fc.property(knownVideo, seenVideo, (known, seen) => {
        const merged = mergeVideo(known, seen);
        const expectNewest = (
          columns: readonly (typeof COLUMNS)[number][],
          last: number | null,
        ) => {
          const newer = last === null || (seen.at ?? -1) >= last;
          for (const column of columns)
            if (newer && seen[column] !== null) expect(merged[column]).toBe(seen[column]);
            else if (!newer && known[column] !== null) expect(merged[column]).toBe(known[column]);
        };
        expectNewest(WORDS, lastSeenOf(known));
        expectNewest(COUNTS, known.countedAt);
      }),
    );
  });

  test('an unknown field never erases a known one', () => {
    fc.assert(
      fc.property(knownVideo, seenVideo, (known, seen) => {
        const merged: VideoFacts = mergeVideo(known, seen);
        for (const column of [...COLUMNS, 'extra'] as const)
          if (known[column] !== null) expect(merged[column]).not.toBeNull();
        const before = Object.keys(JSON.parse(known.extra ?? '{}'));
        expect(Object.keys(JSON.parse(merged.extra ?? '{}'))).toEqual(
          expect.arrayContaining(before),
        );
      }),
    );
  });

  test('first seen is the earliest ever seen', () => {
    fc.assert(
      fc.property(knownVideo, seenVideo, (known, seen) => {
        const instants = [known.firstSeenAt, seen.at].filter((at) => at !== null);
        const earliest = instants.length === 0 ? null : Math.min(...instants);
        expect(mergeVideo(known, seen).firstSeenAt).toBe(earliest);
      }),
    );
  });

  test('observations at different instants may come in any order', () => {
    const snapshots = fc.uniqueArray(seenVideo, { selector: ({ at }) => at, maxLength: 4 });
    const dated = snapshots.filter((seen) => seen.every(({ at }) => at !== null));
    fc.assert(
      fc.property(knownVideo, dated, (known, seen) => {
        const start = { ...known, countedAt: null, statedAt: null, firstSeenAt: null, extra: null };
        const empty = { ...start, title: null, user: null, views: null, likes: null };
        const blank = { ...empty, engagementRate: null, createdAt: null };
        const sorted = seen.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
        const inOrder = sorted.reduce(rowAfter, blank);
        const backwards = sorted.toReversed().reduce(rowAfter, blank);
        const newest = sorted.at(-1);
        for (const column of COLUMNS)
          if (newest !== undefined && newest[column] !== null)
            expect(backwards[column]).toBe(inOrder[column]);
        expect(backwards.firstSeenAt).toBe(inOrder.firstSeenAt);
      }),
    );
  });
});
