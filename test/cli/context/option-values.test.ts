import { expect, test } from 'vitest';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

test.each([
  ['demo --nights 0', '--nights must be a whole number from 1 to 366; it is "0".'],
  ['serve --port 99999', '--port must be a whole number from 0 to 65535; it is "99999".'],
  ['sync --max-calls x', '--max-calls must be a whole number from 1; it is "x".'],
  ['search a --limit 1e2', '--limit must be a whole number from 1 to 1000; it is "1e2".'],
  ['search a --platform x', '--platform must be one of tiktok, instagram, youtube; it is "x".'],
  [
    'keys create --use-case a --tier x',
    '--tier must be one of beta, scale, enterprise; it is "x".',
  ],
  ['sandbox --speed 0', '--speed must be a number above 0, at most 1000000; it is "0".'],
  ['webhooks deliveries --limit 1.5', '--limit must be a whole number from 1; it is "1.5".'],
  [
    'serve --at 2026-02-30',
    '--at must be an ISO 8601 instant such as 2026-03-01T12:00:00Z or 2026-03-01; it is "2026-02-30".',
  ],
])('%s is refused: the option, what it takes, what it got', async (line, sentence) => {
  const { code, out, err } = await runCommand(line.split(' '), { dataDir: freshFolder() });
  expect([code, out, err]).toEqual([2, '', `trendlake: ${sentence}`]);
});
