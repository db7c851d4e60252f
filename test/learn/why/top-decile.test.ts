import { expect, test } from 'vitest';
import { contrast, type RankedVideo } from '../../../src/learn/why/top-decile.ts';

const video = (key: number, user: string, top: boolean, title: string): RankedVideo => ({
  key,
  user,
  top,
  title,
  createdAt: null,
  views: 1,
  likes: null,
  durationSec: null,
});

/** 300 plain videos of 100 creators, one in ten on top, and 30 questions, all on top. */
const videosOf = (creatorOf: (index: number) => string): RankedVideo[] => [
  ...Array.from({ length: 300 }, (_, i) => video(i, `u${i % 100}`, i % 10 === 0, 'plain')),
  ...Array.from({ length: 30 }, (_, i) => video(1000 + i, creatorOf(i), true, 'why?')),
];

const isQuestion = ({ title }: { title: string | null }): boolean => title?.endsWith('?') === true;

test('a property of one creator proves nothing, the same of many creators does', () => {
  const byOne = contrast(
    videosOf(() => 'star'),
    isQuestion,
  );
  expect(byOne.withIt).toEqual({ successes: 30, trials: 30 });
  expect(byOne.low).toBeLessThan(0);
  const byMany = contrast(
    videosOf((index) => `q${index}`),
    isQuestion,
  );
  expect(byMany.low).toBeGreaterThan(0.3);
});
