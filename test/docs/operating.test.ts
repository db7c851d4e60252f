import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { status } from '../../fixtures/faults.ts';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { virtualClock } from '../../src/base/clock.ts';
import { Metrics } from '../../src/run/metrics/metrics.ts';
import { freshFolder } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/guides/operating.md'), 'utf8');
const rules = readFileSync(join(root, 'examples/prometheus/rules.yml'), 'utf8');
const JQ = 'jq'; // of the system, where there is one
const hasJq = spawnSync(JQ, ['--version']).status === 0;

test('every metric that the rules for Prometheus name is one', async () => {
  const metrics = new Metrics({
    dataDir: freshFolder(),
    clock: virtualClock(0),
    ratePerMinute: 60,
    callsPerMonth: 50_000,
    quotaReset: 'calendar',
  });
  const names = metrics.list().map(({ name }) => name);
  await metrics.close();
  const named = [...rules.matchAll(/\btrendlake_[a-z_]+\b/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(Object.keys(parse(rules))).toEqual(['groups']);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

describe('the log', () => {
  const path = join(freshFolder(), 'trendlake.log');
  beforeAll(async () => {
    const upstream = await startFaultyUpstream([
      { on: /trends\/tiktok\/day/, fault: status(500) },
      { on: /hashtags/, fault: status(400), times: 9 },
    ]);
    const env = {
      TRENDLAKE_BASE_URL: upstream.baseUrl,
      TRENDLAKE_API_KEY: 'tl_live_of_this_test',
      TRENDLAKE_PLATFORMS: 'tiktok',
      TRENDLAKE_LOG: 'debug',
      TRENDLAKE_LOG_FILE: path,
    };
    await runCommand(['sync', '--no-export', '--jobs', 'trends,hashtags'], {
      dataDir: freshFolder(),
      env,
    });
    await upstream.close();
  });

  test('its example is a line as it is written', () => {
    const example = JSON.parse(/```json\n(.+)\n```/.exec(page)?.[1] ?? '') as object;
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const retried = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ callId, status: came }) => callId !== undefined && came === 500);
    expect(Object.keys(retried ?? {})).toEqual(Object.keys(example));
  });

  const commands = [...page.matchAll(/^journalctl .* \| (jq .*)$/gm)].map(([, jq = '']) => jq);

  test.runIf(hasJq).each(commands)('%s finds something', async (command) => {
    const { stdout } = await promisify(execFile)('sh', ['-ec', `cat "$LOG" | ${command}`], {
      env: { ...process.env, LOG: path },
    });
    expect(stdout).toMatch(/GET \/(hashtags|trends)/);
  });
});
