import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { computeList } from '../../../src/lake/lists/computed-list.ts';
import { rankHashtags } from '../../../src/lake/lists/hashtag-ranking.ts';
import { rankVideos } from '../../../src/lake/lists/video-ranking.ts';
import { openLake } from '../../../src/lake/open.ts';
import { fillLake, hoursAgo } from '../../serve/filled-lake.ts';
import { fillWith, madeVideos } from '../../serve/made-videos.ts';
import { draws } from '../../support/draws.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';

const windowHours = fc.constantFrom(1, 24, 7 * 24, 30 * 24, 366 * 24);
const asOf = fc.integer({ min: 0, max: 24 * 40 }).map(hoursAgo);

test('a list is the same whether its snapshots are read or its videos', () => {
  fc.assert(
    fc.property(madeVideos, windowHours, asOf, (videos, hours, at) => {
      const dataDir = freshFolder();
      fillLake(dataDir, (into) => fillWith(into, videos));
      const lake = openLake(dataDir);
      const windowMs = hours * HOUR_MS;
      for (const platform of PLATFORMS)
        for (const by of ['score', 'gain'] as const) {
          const ask = { platform, windowMs, by, asOf: at, depth: 1000 };
          const [snapshots, timelines] = (['snapshots', 'videos'] as const).map((start) =>
            rankVideos(lake, ask, start),
          );
          expect(timelines).toEqual(snapshots);
        }
      for (const platform of ['', ...PLATFORMS] as const) {
        const [snapshots, timelines] = (['snapshots', 'videos'] as const).map((start) =>
          rankHashtags(lake, { platform, windowMs, asOf: at, depth: 1000 }, start),
        );
        expect(timelines).toEqual(snapshots);
      }
      lake.close();
    }),
    { numRuns: draws(25) },
  );
});

test('a part far down a list is the same as counting there from the top', () => {
  const dataDir = freshFolder();
  fillLake(dataDir, (into) => {
    for (let key = 0; key < 60; key++)
      into.video({ id: `tt_${key}`, snapshots: [[hoursAgo(3), key % 9]], tags: [`t${key}`] });
  });
  const lake = freshLake(dataDir);
  for (const list of ['feed', 'hashtags'] as const) {
    const wanted = { list, platform: 'tiktok', windowMs: 24 * HOUR_MS } as const;
    const part = (from: number, count: number) =>
      computeList(lake, { wanted, asOf: hoursAgo(0), from, count });
    const whole = part(0, 60);
    expect(whole).toMatchObject({ total: 60 });
    expect(part(40, 15).items).toEqual(whole.items.slice(40, 55));
    expect(part(Number.MAX_SAFE_INTEGER - 1, 15)).toMatchObject({ total: 60, items: [] });
  }
});
