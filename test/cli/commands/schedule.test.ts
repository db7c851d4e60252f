import { expect, test } from 'vitest';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

test('without an address the daemon starts only with --sandbox', async () => {
  const { code, err } = await runCommand(['schedule'], { dataDir: freshFolder() });
  expect([code, err]).toEqual([2, expect.stringMatching(/BASE_URL is not set.*--sandbox/)]);
});

test('with an address it does not take --sandbox', async () => {
  const env = { TRENDLAKE_BASE_URL: 'http://127.0.0.1:9/v1', TRENDLAKE_API_KEY: 'k' };
  const dataDir = freshFolder();
  const { code, err } = await runCommand(['schedule', '--sandbox'], { dataDir, env });
  expect([code, err]).toEqual([2, expect.stringMatching(/Remove one of them/)]);
});

test('with --sandbox it collects from the made-up world', async () => {
  const dataDir = freshFolder();
  const signal = AbortSignal.abort(new Error('stopped by a test'));
  const { code, err } = await runCommand(['schedule', '--sandbox'], { dataDir, signal });
  expect(err).not.toMatch(/BASE_URL is not set, so/);
  // a daemon that is stopped while it starts has not failed
  expect([code, err]).toEqual([0, expect.stringMatching(/"msg":"stopped"/)]);
  expect(err).not.toMatch(/"level":"error"/);
});
