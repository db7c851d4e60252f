import { expect, onTestFinished, test } from 'vitest';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import type { RunSummary } from '../../../src/run/run/run-summary.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY } from '../../support/sync-once.ts';

test('--jobs takes a list as people write it, with blanks after the commas', async () => {
  const upstream = await startFaultyUpstream();
  onTestFinished(() => upstream.close());
  const env = { TRENDLAKE_BASE_URL: upstream.baseUrl, TRENDLAKE_API_KEY: KEY };
  const argv = ['sync', '--jobs', 'feed, hashtags ', '--no-export', '--json'];
  const { code, out, err } = await runCommand(argv, { dataDir: freshFolder(), env });
  expect(err).toBe('');
  expect(code).toBe(0);
  const { calls } = JSON.parse(out) as RunSummary;
  expect(Object.keys(calls.byJob)).toEqual(['feed', 'hashtags']);
});
