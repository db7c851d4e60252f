import { expect, test } from 'vitest';
import { KeylessPace } from '../../src/serve/http/keyless-pace.ts';

/** Waits of this many simultaneous turns in ms. */
const waits = () => {
  const clock = { at: 5000 };
  const slept: number[] = [];
  const pace = new KeylessPace({
    monotonic: () => clock.at,
    sleep: async (ms) => void slept.push(ms),
  });
  const take = async (turns: number): Promise<number[]> => {
    slept.length = 0;
    for (let turn = 0; turn < turns; turn++) await pace.turn().catch(() => {}); // refused after the longest wait
    return [...slept];
  };
  return { clock, take };
};

test('a burst leaves at once, what comes after waits its turn, none longer than five seconds', async () => {
  const { take } = waits();
  expect(await take(50)).toEqual([]);
  expect(await take(3)).toEqual([10, 20, 30]);
  expect((await take(600)).at(-1)).toBe(5000);
});

test('who comes a while after a flood does not wait for it', async () => {
  const { clock, take } = waits();
  await take(5000);
  clock.at += 5000;
  expect(await take(1)).toEqual([10]);
  clock.at += 1000;
  expect(await take(50)).toEqual([]);
});
