import { afterEach, expect, test } from 'vitest';
import { echo, resetAfter, status, text } from '../../../fixtures/faults.ts';
import {
  type FaultRule,
  type FaultyUpstream,
  startFaultyUpstream,
} from '../../../fixtures/faulty-upstream.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY } from '../../support/sync-once.ts';

let upstream: FaultyUpstream | undefined;
afterEach(async () => {
  await upstream?.close();
  upstream = undefined;
});

interface Failure {
  request: string;
  state: string;
  calls: { callId: number; at: string; status: number | null; error: string }[];
  advice: string;
}

/** Output of `status` after a sync of lists from a faulty world. */
const statusAfter = async (rules: FaultRule[]) => {
  upstream = await startFaultyUpstream(rules);
  const dataDir = freshDataDir();
  const env = {
    TRENDLAKE_BASE_URL: upstream.baseUrl,
    TRENDLAKE_API_KEY: KEY,
    TRENDLAKE_PLATFORMS: 'tiktok',
    TRENDLAKE_LIST_ITEMS: '100',
  };
  await runCommand(['sync', '--no-export', '--jobs', 'feed,trends,hashtags'], { dataDir, env });
  const { out } = await runCommand(['status'], { dataDir, env });
  const json = await runCommand(['status', '--json'], { dataDir, env });
  const { failures } = JSON.parse(json.out) as { failures: Failure[] };
  expect(out + json.out).not.toContain(KEY);
  return { out, failures, of: (part: string) => failures.find((f) => f.request.includes(part)) };
};

test('the last failures show request, time, response, call id and advice', async () => {
  const { out, failures, of } = await statusAfter([
    { on: /trends\/tiktok\/week/, fault: status(500) },
    { on: /hashtags/, fault: status(400, {}, 'dateRange\n is\u001b odd'), times: 9 },
    { on: /feed/, fault: text('<html>\n  <b>gateway</b>', 'text/html'), times: 9 },
  ]);
  expect(failures).toHaveLength(3);
  expect(of('/feed/')).toMatchObject({
    state: 'failed',
    advice: expect.stringContaining('replay'),
  });
  expect(of('/feed/')?.calls.length).toBeGreaterThanOrEqual(4);
  expect(of('/trends/tiktok/week')).toMatchObject({
    state: 'done',
    calls: [{ status: 500 }],
    advice: 'Nothing to do: a retry succeeded.',
  });
  const hashtags = of('/hashtags');
  const call = hashtags?.calls[0];
  expect(call?.at).toMatch(/^2026-03-01T00:00:\d\d\.\d{3}Z$/);
  const shown = out.slice(out.indexOf('Last failures'));
  expect(shown).toContain(
    `  ${hashtags?.request}  (hashtags, run 1: given up)\n` +
      `     ${call?.at}  call ${call?.callId}: The service answered 400: dateRange is odd.\n` +
      `     ${hashtags?.advice}\n`,
  );
  expect(shown).toMatch(/\d failed before it: \d+, \d+, \d+/);
});

test.each([
  ['a refused key', [{ fault: echo(401), times: 99 }], /Set TRENDLAKE_API_KEY/],
  [
    'a service that resets',
    [{ fault: resetAfter(0), times: 999 }],
    /reachable.*trendlake -- doctor/,
  ],
] satisfies [string, FaultRule[], RegExp][])('%s: says what to do', async (_, rules, advice) => {
  const { out, failures } = await statusAfter(rules);
  expect(failures.map((failure) => failure.advice)).toContainEqual(expect.stringMatching(advice));
  expect(out).toMatch(advice);
});

test('of a made-up world it says so, and whose limit it is', async () => {
  const dataDir = freshDataDir();
  const sync = ['sync', '--no-export', '--jobs', 'hashtags', '--max-calls', '1'];
  const synced = await runCommand(sync, { dataDir, sandboxCreators: 20 });
  expect(synced.out).toContain("of the sandbox's 10,000,000 calls");
  expect((await runCommand(['status'], { dataDir })).out).toContain(
    'calls go to the built-in sandbox, which has its own limits; 50,000 is the limit of a key',
  );
  const { out } = await statusAfter([]);
  expect(out).not.toContain('sandbox');
});

test('status shows the next slots, a missing daemon and a missing backup', async () => {
  const { out } = await statusAfter([]);
  expect(out).toMatch(
    /Schedule\n {2}no daemon is running: npm run -s trendlake -- schedule\n {2}feed +next 2\d/,
  );
  expect(out).toContain('no backup yet');
});
