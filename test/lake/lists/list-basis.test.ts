import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { loaderOf } from '../../../src/ingest/writers/loader.ts';
import { rankHashtags } from '../../../src/lake/lists/hashtag-ranking.ts';
import {
  BasisPacker,
  holdsListBasis,
  keepListBases,
  listBasisAt,
  readListBasis,
} from '../../../src/lake/lists/list-basis.ts';
import { makeListBasis } from '../../../src/lake/lists/make-list-basis.ts';
import { rankVideos } from '../../../src/lake/lists/video-ranking.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { filler, hoursAgo } from '../../serve/filled-lake.ts';
import { fillWith, madeVideos } from '../../serve/made-videos.ts';
import { draws } from '../../support/draws.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { openTestLake } from '../../support/test-lake.ts';

const WINDOWS = [1, 7, 30].map((days) => days * DAY_MS);

/** Every list of the common windows, made from what is kept where anything is. */
const lists = (lake: Lake, asOf: number, start?: 'videos') => [
  ...WINDOWS.flatMap((windowMs) =>
    PLATFORMS.flatMap((platform) =>
      (['score', 'gain'] as const).map((by) =>
        rankVideos(lake, { platform, windowMs, by }, asOf, start),
      ),
    ),
  ),
  ...['', ...PLATFORMS].map((platform) =>
    rankHashtags(lake, { platform: platform as '', windowMs: 30 * DAY_MS }, asOf, start),
  ),
];
const shown = (lake: Lake, asOf: number, start?: 'videos') =>
  lists(lake, asOf, start).map((list) => [list.total, ...list.rows(0, 1000)]);

const newestOf = ({ sqlite }: Lake): number =>
  sqlite.prepare('select max(observed_at) from video_snapshot').pluck().get() as number;

/** Hours after the newest snapshot: at once, within and past each window. */
const hoursLater = fc.constantFrom(0, 1, 7, 23, 24, 50, 24 * 8, 24 * 31, 24 * 61);

test('lists made from what was read ahead are those made from the lake, whenever they are asked for', () => {
  fc.assert(
    fc.property(
      madeVideos,
      madeVideos,
      fc.uniqueArray(hoursLater, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(0, 0, 5, 30), // snapshots of so many hours are dated in the future
      (videos, further, later, hoursBehind) => {
        const lake = openTestLake(freshFolder());
        const into = filler(lake);
        for (const part of [videos, [...videos, ...further]]) {
          into.transaction(() => fillWith(into, part));
          loaderOf(lake).transaction(
            () => {},
            () => {},
          );
          expect(holdsListBasis(lake)).toBe(false);
          const now = part.length === 0 ? 0 : newestOf(lake) - hoursBehind * HOUR_MS;
          expect(makeListBasis(lake, now, { least: 1 })).toBe(true);
          if (hoursBehind === 0) expect(holdsListBasis(lake)).toBe(part.length > 0);
          for (const hours of part.length === 0 ? [] : later) {
            const at = now + hours * HOUR_MS;
            expect(shown(lake, at)).toEqual(shown(lake, at, 'videos'));
          }
        }
        lake.close();
      },
    ),
    { numRuns: draws(25) },
  );
});

describe('what was read ahead', () => {
  const filled = () => {
    const lake = freshLake();
    const into = filler(lake);
    into.transaction(() => {
      for (const n of [1, 2, 3])
        into.video({
          id: `tt_${n}`,
          snapshots: [
            [hoursAgo(9), n],
            [hoursAgo(3), 50 * n],
          ],
          tags: ['x'],
        });
    });
    return lake;
  };

  test('is not used of an instant before it, and is gone with the next load, also of what is long past', () => {
    const lake = filled();
    makeListBasis(lake, hoursAgo(0), { least: 1 });
    expect(shown(lake, hoursAgo(5))).toEqual(shown(lake, hoursAgo(5), 'videos'));
    const into = filler(lake);
    loaderOf(lake).transaction(
      () => into.snapshot(into.keyOf('tt_2'), [hoursAgo(24 * 20), 7, null]),
      () => {},
    );
    expect(holdsListBasis(lake)).toBe(false);
    expect(shown(lake, hoursAgo(0))).toEqual(shown(lake, hoursAgo(0), 'videos'));
  });

  test('is made of every window where a month holds enough snapshots, else of none', () => {
    const lake = filled();
    const into = filler(lake);
    const inDay = lake.sqlite
      .prepare('select count(*) from video_snapshot')
      .pluck()
      .get() as number;
    into.snapshot(into.keyOf('tt_2'), [hoursAgo(24 * 20), 7, null]);
    expect(makeListBasis(lake, hoursAgo(0), { least: inDay + 2 })).toBe(true);
    expect(holdsListBasis(lake)).toBe(false);
    expect(makeListBasis(lake, hoursAgo(0), { least: inDay + 1 })).toBe(true);
    for (const windowMs of WINDOWS)
      expect(listBasisAt(lake, `videos tiktok ${windowMs}`, hoursAgo(0))).toBe(hoursAgo(3));
  });

  test('is of now where something is dated in the future, and is not used from then on', () => {
    const lake = filled();
    const into = filler(lake);
    into.snapshot(into.keyOf('tt_2'), [hoursAgo(-24 * 40), 7, null]);
    expect(makeListBasis(lake, hoursAgo(0), { least: 1 })).toBe(true);
    const name = `videos tiktok ${30 * DAY_MS}`;
    expect(listBasisAt(lake, name, hoursAgo(0))).toBe(hoursAgo(3));
    expect(listBasisAt(lake, name, hoursAgo(-24 * 39))).toBe(hoursAgo(3));
    for (const at of [hoursAgo(4), hoursAgo(-24 * 40), hoursAgo(-24 * 41)])
      expect(listBasisAt(lake, name, at)).toBeUndefined();
    for (const hours of [0, -24 * 39, -24 * 40, -24 * 41])
      expect(shown(lake, hoursAgo(hours))).toEqual(shown(lake, hoursAgo(hours), 'videos'));
  });

  test('is kept in pieces, of which each is read by itself', () => {
    const lake = freshLake();
    const packers = ['a', 'a 1'].map((name, nth) => {
      const packer = new BasisPacker(name, 7, 2);
      for (let row = 0; row < 140_000 - nth; row++) packer.add([row, row % 3 === 0 ? null : -row]);
      return packer;
    });
    keepListBases(
      lake,
      packers.flatMap((packer) => packer.pieces()),
    );
    for (const [nth, name] of ['a', 'a 1'].entries()) {
      const basis = readListBasis(lake, name, 2);
      expect(basis).toMatchObject({ asOf: 7, rows: 140_000 - nth });
      const pieces = [...(basis?.pieces() ?? [])];
      expect(pieces.length).toBeGreaterThan(2);
      const [keys, values] = [0, 1].map((column) =>
        pieces.flatMap((piece) => [...(piece[column] ?? [])]),
      );
      expect(keys).toEqual(Array.from({ length: 140_000 - nth }, (_, row) => row));
      expect(values?.slice(-4)).toEqual(
        keys?.slice(-4).map((row) => (row % 3 === 0 ? Number.NaN : -row)),
      );
    }
    keepListBases(lake, new BasisPacker('none', 7, 2).pieces());
    expect(readListBasis(lake, 'none', 2)?.rows).toBe(0);
    expect(readListBasis(lake, 'other', 2)).toBeUndefined();
  });

  test('is not kept of windows that are read in no time', () => {
    const lake = filled();
    expect(makeListBasis(lake, hoursAgo(0))).toBe(true);
    expect(holdsListBasis(lake)).toBe(false);
  });

  test('is not kept where another program holds the lake, which fails nothing that was loaded', () => {
    const lake = filled();
    lake.sqlite.pragma('busy_timeout = 0');
    const other = freshLake(lake.dataDir);
    other.sqlite.exec('begin immediate');
    expect(makeListBasis(lake, hoursAgo(0), { least: 1 })).toBe(false);
    other.sqlite.exec('rollback');
    expect(makeListBasis(lake, hoursAgo(0), { least: 1 })).toBe(true);
    expect(holdsListBasis(lake)).toBe(true);
  });

  test('is not kept where another connection wrote meanwhile, and is made the next time', () => {
    const lake = filled();
    const other = freshLake(lake.dataDir);
    lake.sqlite.function('written_meanwhile', () => {
      other.sqlite.exec("insert into meta (key, value) values ('a', 'b') on conflict do nothing");
      return 0;
    });
    lake.sqlite.exec(
      'create temp view video_revision as select 0 as video_key, written_meanwhile() as until_at, null as tags',
    );
    expect(makeListBasis(lake, hoursAgo(0), { least: 1 })).toBe(false);
    expect(holdsListBasis(lake)).toBe(false);
    expect(makeListBasis(lake, hoursAgo(0), { least: 1 })).toBe(true);
    expect(holdsListBasis(lake)).toBe(true);
  });

  test('is kept as another process made it meanwhile', () => {
    const lake = filled();
    const other = freshLake(lake.dataDir);
    const made: boolean[] = [];
    lake.sqlite.function('made_meanwhile', () => {
      if (made.length === 0) made.push(makeListBasis(other, hoursAgo(0), { least: 1 }));
      return 0;
    });
    // nothing can be kept in a view: an attempt would throw
    lake.sqlite.exec(
      'create temp view list_basis as select name from main.list_basis union all select 1 where made_meanwhile()',
    );
    expect(makeListBasis(lake, hoursAgo(0), { least: 1 })).toBe(true);
    expect(made).toEqual([true]);
    expect(holdsListBasis(lake)).toBe(true);
  });
});
