import { expect, test } from 'vitest';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { expectShown } from './expect-shown.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

// A proof, as a world is made for it (`npm run prove tours`); test/sandbox/demo/demo.test.ts has an import's.
test('demo lives through the nights of the made-up world and shows what it has', async () => {
  const dataDir = freshFolder();
  const env = {
    TRENDLAKE_LIST_ITEMS: '20',
    TRENDLAKE_GROWTH_CALLS: '5',
    TRENDLAKE_CREATOR_CALLS: '2',
  };
  const clock = virtualClock(NOON);
  const { code, out } = await runCommand(['demo', '--nights', '2'], { dataDir, env, clock });
  expect(code).toBe(0);
  expect(out).toMatch(/^2026-11-19 {2}complete: \d+ calls/);
  expect(out).toMatch(/2026-11-20 {2}complete/);
  const nights = expectShown(out, dataDir, PLATFORMS);
  expect(nights).toEqual([NOON - 36 * HOUR_MS, NOON - 12 * HOUR_MS]);
});
