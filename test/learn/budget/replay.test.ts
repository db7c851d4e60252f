import { expect, test } from 'vitest';
import { measure } from '../../../bench/budget/measure.ts';
import { type Replay, replayVideo, shareOf } from '../../../bench/budget/replay.ts';

/** Views of the n-th made-up video by age: most rise for hours, some for days. */
const viewsOf = (name: string) => {
  const [pace, size] = [shareOf(`pace ${name}`), shareOf(`size ${name}`)];
  const scaleHours = 3 * 60 ** pace;
  return (age: number) =>
    Math.floor(10 ** (3 + 3 * size) * -Math.expm1(-((age / scaleHours) ** 0.8)));
};

const STEPS = 6 * 24;

const smallReplay = (): Replay => ({
  name: 'small',
  stepHours: 1,
  steps: STEPS,
  callsPerStep: 3,
  videos: Array.from({ length: 300 }, (_, i) => {
    const from = Math.floor(shareOf(`from ${i}`) * (STEPS - 3));
    const bornHours = from - 2 - 8 * shareOf(`age ${i}`);
    const views = viewsOf(`test ${i}`);
    const counts = Array.from({ length: STEPS - from }, (_, t) => views(from + t - bornHours));
    return replayVideo({ platform: 'tiktok', creator: i % 40, bornHours, from }, counts);
  }),
  teach: Array.from({ length: 100 }, (_, i) => {
    const ageHours = Array.from({ length: 40 }, (_, t) => 2 + 8 * shareOf(`first ${i}`) + 6 * t);
    return { platform: 'tiktok', ageHours, views: ageHours.map(viewsOf(`teach ${i}`)) };
  }),
});

test('on a small made-up world ours beats the simple policies, and nothing beats the bound', () => {
  const { lowerBound, policies } = measure(smallReplay(), 12);
  const [robin, newest, velocity, single, creators, oracle] = policies.map(({ error }) => error);
  const own = single ?? 1;
  expect(own).toBeLessThan(robin ?? 0);
  expect(own).toBeLessThan(newest ?? 0);
  expect(own).toBeLessThan(velocity ?? 0);
  expect(creators).toBeLessThan(own);
  expect(oracle).toBeGreaterThanOrEqual(lowerBound);
  expect(own).toBeGreaterThan(lowerBound);
  for (const { calls } of policies) expect(calls).toBeLessThanOrEqual(3 * STEPS);
});
