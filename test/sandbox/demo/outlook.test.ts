import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

// At full length, as the issue that asked for it says: a proof (`npm run prove tours`). Twenty nights,
// as in CI, are enough for a thousand forecasts to come due.
const NIGHTS = process.env.PROVE_NIGHTS ?? '28';

test(`demo --nights ${NIGHTS} ends with who is likeliest tomorrow and how yesterday’s forecasts did`, async () => {
  const dataDir = freshFolder();
  const { code, out } = await runCommand(['demo', '--nights', NIGHTS, '--at', '2026-11-22'], {
    dataDir,
  });
  expect(code).toBe(0);
  const [, ending = ''] = out.split('Not yet in the top 10 %');
  // views of a horizon are left out where a baseline does as well
  const ahead = / -> [\d,]+ \(80 % between [\d,]+ and [\d,]+\)$/;
  const lines = ending.match(/^ +(?:>?\d+ %) {2}.*: .* {2}[\d,]+.*$/gm) ?? [];
  expect(lines).toHaveLength(5);
  expect(lines.filter((line) => ahead.test(line)).length).toBeGreaterThan(0);
  expect(ending).toMatch(
    /Yesterday's forecasts for today: [\d,]+ forecasts could be checked against a new count\. \d+ % of outcomes/,
  );
  const scored = await runCommand(['forecast', '--score', '--json'], {
    dataDir,
    clock: virtualClock(Date.UTC(2026, 10, 23)), // as of the day after: scores are those known then
  });
  const weeks = JSON.parse(scored.out) as { score: { judged: number; coverage: number } }[];
  const judged = weeks.reduce((sum, { score }) => sum + score.judged, 0);
  const inside = weeks.reduce((sum, { score }) => sum + score.judged * score.coverage, 0);
  expect(judged).toBeGreaterThan(1000);
  expect(inside / judged).toBeGreaterThan(0.7);
}, 1_800_000); // four weeks of nights
