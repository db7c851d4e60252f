import { expect, test } from 'vitest';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { hashtagItems, rankHashtags } from '../../../src/lake/lists/hashtag-ranking.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { watchedAlike } from '../../../src/lake/read/watched-alike.ts';
import { type Filler, filler, NOW } from '../../serve/filled-lake.ts';
import { freshLake } from '../../support/fresh.ts';

const WEEK = 7 * DAY_MS;
const night = (ago: number): number => NOW - HOUR_MS - ago * DAY_MS;
const nights = (from: number, to = 0): number[] =>
  Array.from({ length: from - to + 1 }, (_, n) => from - n);

/** Pulls a platform's feed at each of these nights, `depth` videos deep. */
const watch = (into: Filler, platform: Platform, at: readonly number[], depth = 2): void => {
  const prefix = { tiktok: 'tt', instagram: 'ig', youtube: 'yt' }[platform];
  for (const ago of at) {
    const ids = Array.from({ length: depth }, (_, n) => `${prefix}_${ago}_${n}`);
    for (const id of ids) into.video({ id, tags: ['dance'], snapshots: [] });
    for (const id of ids) into.snapshot(into.keyOf(id), [night(ago), 100], 'feed');
    const ranks = ids.map((id, n) => ({ id, rank: n + 1 }));
    into.pulled({ list: 'feed', platform, period: '24h', at: night(ago), total: depth, ranks });
  }
};

const refresh = ({ sqlite }: Lake, job: string, ago: number, times: number): void => {
  for (let n = 0; n < times; n++)
    sqlite
      .prepare("insert into calls (job, request, sent_at, sender) values (?, ?, ?, 'test')")
      .run(job, `${n}`, night(ago));
};

/** Notes an import whose snapshots lie between two instants. */
const imported = ({ sqlite }: Lake, oldestAt: number, newestAt: number): void =>
  void sqlite
    .prepare(
      "insert into import_progress (path, fingerprint, lines, oldest_at, newest_at) values ('x', 'y', 1, ?, ?)",
    )
    .run(oldestAt, newestAt);

const lakeOf = (fill: (into: Filler, lake: Lake) => void): Lake => {
  const lake = freshLake();
  fill(filler(lake), lake);
  return lake;
};

const isAlike = (lake: Lake, platform: Platform | '' = 'tiktok', asOf = NOW): boolean =>
  watchedAlike(lake, { platform, windowMs: WEEK, asOf });

test('a fortnight watched night by night shows the change of a week; fewer nights do not', () => {
  for (const [first, known] of [
    [14, true],
    [13, true],
    [11, false],
    [1, false],
    [0, false],
  ] as const)
    expect({
      first,
      known: isAlike(lakeOf((into) => watch(into, 'tiktok', nights(first)))),
    }).toEqual({ first, known });
});

test('a gap, a list read deeper, a new list, more refreshes, an import: not watched alike', () => {
  const watched = (change: (into: Filler, lake: Lake) => void) =>
    isAlike(
      lakeOf((into, lake) => {
        watch(into, 'tiktok', nights(16));
        change(into, lake);
      }),
    );
  expect(watched(() => {})).toBe(true);
  const pulled = { platform: 'tiktok', period: 'day', total: 1 } as const;
  expect(watched((into) => into.pulled({ ...pulled, list: 'trends', at: night(2) }))).toBe(false);
  expect(watched((_, lake) => refresh(lake, 'growth', 3, 100))).toBe(false);
  expect(
    watched((_, lake) => {
      for (const ago of [3, 10]) refresh(lake, 'growth', ago, 100);
    }),
  ).toBe(true);
  // as many in all, but a profile shows tens of videos, a timeline one
  expect(
    watched((_, lake) => {
      for (const [ago, timelines, profiles] of [
        [3, 100, 60],
        [10, 120, 40],
      ] as const) {
        refresh(lake, 'growth', ago, timelines);
        refresh(lake, 'creators', ago, profiles);
      }
    }),
  ).toBe(false);
  expect(
    watched((into, lake) => {
      imported(lake, night(40), night(9) + 1);
      into.snapshot(into.keyOf('tt_3_0'), [night(9) + 1, 5], 'import');
    }),
  ).toBe(false);
  expect(watched((_, lake) => imported(lake, night(60), night(40)))).toBe(true);
  expect(watched((_, lake) => imported(lake, night(40), night(1)))).toBe(true);
  const gap = lakeOf((into) => watch(into, 'tiktok', [...nights(16, 9), ...nights(6)]));
  expect(isAlike(gap)).toBe(false);
  const deeper = lakeOf((into) => {
    watch(into, 'tiktok', nights(16, 7));
    watch(into, 'tiktok', nights(6), 6);
  });
  expect(isAlike(deeper)).toBe(false);
});

test('a new platform takes away what is known over all, and nothing else', () => {
  const lake = lakeOf((into) => {
    watch(into, 'tiktok', nights(16));
    watch(into, 'youtube', nights(3));
  });
  expect([isAlike(lake), isAlike(lake, 'youtube'), isAlike(lake, '')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('what is counted over videos says that it is sampled; change only where it is known', () => {
  const wanted = { platform: 'tiktok', windowMs: WEEK, asOf: NOW, depth: 9 } as const;
  const dance = (lake: Lake) => hashtagItems(lake, rankHashtags(lake, wanted).rows);
  expect(dance(lakeOf((into) => watch(into, 'tiktok', nights(14))))).toMatchObject([
    { tag: 'dance', volume: 14, change: 0, sampled: true },
  ]);
  expect(dance(lakeOf((into) => watch(into, 'tiktok', nights(8))))).toMatchObject([
    { tag: 'dance', volume: 14, change: null, sampled: true },
  ]);
});
