import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { emptyLake, insertVideos, type TestVideo } from '../../lake/lake-fixture.ts';

export const NOW = Date.UTC(2026, 0, 31);

/** A number from 0 to 1 that is the same for the same place and looks like chance. */
const chance = (place: number): number => {
  let x = Math.imul(place + 1, 0x9e3779b1) ^ 0x85ebca6b;
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
};

/**
 * Videos of a month, one an hour, most of 1,000 to 10,000 views by chance. Planted: a question in
 * the title (every third) has ten times the views; an emoji (every second) changes nothing.
 */
export const plantedVideos = (size: number): TestVideo[] =>
  Array.from({ length: size }, (_, i) => {
    const createdAt = NOW - DAY_MS - i * HOUR_MS;
    const asks = i % 3 === 0;
    const views = Math.round(1000 * 10 ** chance(i) * (asks ? 10 : 1));
    return {
      id: `tt_${i}`,
      title: `Video about things${asks ? ' - why?' : ''}${i % 2 === 0 ? ' 🔥' : ''} #niche`,
      user: `maker${i % 40}`,
      createdAt,
      firstSeenAt: createdAt + HOUR_MS,
      tags: ['niche', ...(i < 24 * 7 && i % 2 === 0 ? ['rising'] : [])],
      snapshots: [
        [createdAt + HOUR_MS, Math.round(views / 10)],
        [createdAt + 12 * HOUR_MS, views],
      ],
    };
  });

export const plantedLake = (size = 700): Lake => {
  const lake = emptyLake();
  insertVideos(lake, plantedVideos(size));
  return lake;
};
