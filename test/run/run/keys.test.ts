import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Fault,
  type FaultyUpstream,
  respondJson,
  startFaultyUpstream,
} from '../../../fixtures/faulty-upstream.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { JOBS } from '../../../jobs/all-jobs.ts';
import { type Clock, systemClock, VirtualClock, virtualClock } from '../../../src/base/clock.ts';
import { readConfig } from '../../../src/base/config/config.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/base/durations.ts';
import { openLake, openLakeForReading } from '../../../src/lake/open.ts';
import { lastFailures } from '../../../src/run/maintenance/failures.ts';
import { Metrics } from '../../../src/run/metrics/metrics.ts';
import { PipelineReader } from '../../../src/run/pipeline/pipeline-reader.ts';
import type { RunSummary } from '../../../src/run/run/run-summary.ts';
import { quotaSection } from '../../../src/serve/pages/pipeline-quota.ts';
import { BIN } from '../../support/cli-bin.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { worstMinute } from '../../upstream/throttle/machine.ts';

// Several keys of a service, over real HTTP on a virtual clock. What arrived is the upstream's own log.

interface KeyEntry {
  readonly name: string;
  readonly [field: string]: unknown;
}

let upstream: FaultyUpstream;
let clock: Clock;
/** Instants of arrivals by the virtual clock, as `upstream.arrivals` has them. */
let arrivedAt: number[];
/** Faults of the next requests. */
let fault: Fault | undefined;

beforeAll(async () => {
  upstream = await startFaultyUpstream(() => {
    arrivedAt.push(clock.now());
    return fault;
  });
});
afterAll(() => upstream.close());
beforeEach(() => {
  clock = virtualClock(WORLD_AT);
  arrivedAt = [];
  upstream.arrivals.length = 0;
  fault = undefined;
});

/**
 * A clock that moves only once nothing has happened for some turns, to whoever wakes first: one key's
 * wait must not make the responses of another look slow.
 */
class PatientClock extends VirtualClock {
  readonly #wakings = new Set<{ at: number }>();

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const waking = { at: this.monotonic() + ms };
    this.#wakings.add(waking);
    let seen = -1;
    for (let quiet = 0; quiet < 20; quiet++) {
      await delay(1);
      const isFirst = [...this.#wakings].every(({ at }) => at >= waking.at);
      if (arrivedAt.length !== seen || !isFirst) quiet = 0;
      seen = arrivedAt.length;
    }
    this.#wakings.delete(waking);
    signal?.throwIfAborted();
    this.advanceTo(waking.at);
  }
}

/** A pipeline with some keys; the key named `a` is sent as `secret-a`. */
const world = (entries: readonly KeyEntry[], env: Record<string, string> = {}) => {
  const dataDir = freshDataDir();
  const variable = (name: string): string => `KEY_${name.toUpperCase()}`;
  const keys = entries.map((entry) => ({ keyEnv: variable(entry.name), ...entry }));
  const file = join(dataDir, 'trendlake.config.json');
  writeFileSync(file, JSON.stringify({ baseUrl: upstream.baseUrl, keys }), { mode: 0o600 });
  const secrets = entries.map(({ name }) => [variable(name), `secret-${name}`]);
  const given = { ...Object.fromEntries(secrets), ...env } as Record<string, string>;
  const command = (argv: string[]) => runCommand(argv, { dataDir, clock, env: given });
  const sync = async (...argv: string[]) => {
    const { code, out } = await command(['sync', '--json', '--no-export', ...argv]);
    return { code, summary: JSON.parse(out) as RunSummary };
  };
  /** Calls of each key by the ledger. */
  const counted = (): Record<string, number> => {
    const lake = openLakeForReading(dataDir);
    const rows = lake.sqlite.prepare('select key, count(*) from calls group by key').raw().all();
    lake.close();
    return Object.fromEntries(rows as [string, number][]);
  };
  return { dataDir, command, sync, counted, env: given };
};

const sectionOf = (title: string): string => {
  const page = readFileSync(
    join(import.meta.dirname, '..', '..', '..', 'docs', 'guides', 'many-machines.md'),
    'utf8',
  );
  return page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';
};

/** Lines of what arrived with a key. */
const linesOf = (name: string): string[] =>
  upstream.arrivals
    .filter(({ authorization }) => authorization === `Bearer secret-${name}`)
    .map(({ line }) => line);
const instantsOf = (name: string): number[] =>
  arrivedAt.filter(
    (_, index) => upstream.arrivals[index]?.authorization === `Bearer secret-${name}`,
  );

const LISTS = ['--jobs', 'feed,trends'];
const ROOMY = { ratePerMinute: 1000, callsPerMonth: 10_000 };

describe('requests are dealt to keys', () => {
  test('by platform, and to the first key if no key serves all platforms', async () => {
    const { sync, counted } = world([
      { name: 'a', platforms: ['tiktok'], ...ROOMY },
      { name: 'b', platforms: ['instagram', 'youtube'], ...ROOMY },
    ]);
    const { code, summary } = await sync('--jobs', 'feed,trends,hashtags');
    expect([code, summary.outcome]).toEqual([0, 'complete']);
    expect(linesOf('a').filter((line) => !/tiktok|hashtags/.test(line))).toEqual([]);
    expect(linesOf('a').some((line) => line.includes('/hashtags'))).toBe(true);
    expect(linesOf('b').filter((line) => !/instagram|youtube/.test(line))).toEqual([]);
    expect(counted()).toEqual({ a: linesOf('a').length, b: linesOf('b').length });
  });

  test('of one platform in parallel, each at its own rate', async () => {
    const rate = { ratePerMinute: 2, callsPerMonth: 10_000 };
    const { sync, counted } = world([
      { name: 'a', ...rate },
      { name: 'b', ...rate },
    ]);
    clock = new PatientClock(WORLD_AT);
    const { code, summary } = await sync(...LISTS);
    expect([code, summary.calls.sent]).toEqual([0, upstream.arrivals.length]);
    const minutes = (clock.now() - WORLD_AT) / MINUTE_MS;
    expect(minutes).toBeLessThan(0.6 * (summary.calls.sent / rate.ratePerMinute));
    for (const name of ['a', 'b']) {
      expect(worstMinute(instantsOf(name))).toBeLessThanOrEqual(rate.ratePerMinute);
      expect(counted()[name]).toBe(linesOf(name).length);
    }
  });
});

describe('a key whose month is spent', () => {
  test('leaves its requests to other keys', async () => {
    const { sync, counted } = world([
      { name: 'a', ...ROOMY, callsPerMonth: 2 },
      { name: 'b', ...ROOMY },
    ]);
    const { code, summary } = await sync(...LISTS);
    expect([code, summary.outcome]).toEqual([0, 'complete']);
    expect(counted().a).toBe(2);
    expect(summary.quota.keys?.map(({ remaining }) => remaining)).toEqual([
      0,
      10_000 - (counted().b ?? 0),
    ]);
  });

  test('stops requests that only it can make, and does not block the next run', async () => {
    const { sync, counted } = world([
      { name: 'a', platforms: ['tiktok'], ...ROOMY, callsPerMonth: 2 },
      { name: 'b', platforms: ['instagram', 'youtube'], ...ROOMY },
    ]);
    const first = await sync(...LISTS);
    expect([first.code, first.summary.outcome, first.summary.resumesAt]).toEqual([
      3,
      'partial',
      null,
    ]);
    expect(first.summary.reason).toMatch(/Key a: All 2 calls of the month are spent/);
    const before = counted();
    const second = await sync(...LISTS);
    expect(second.code).toBe(3);
    expect(counted()).toEqual({ a: 2, b: 2 * (before.b ?? 0) });
  });

  test('pauses the run until the first key has calls again, if all are spent', async () => {
    const { sync } = world([
      { name: 'a', ...ROOMY, callsPerMonth: 2 },
      { name: 'b', ...ROOMY, callsPerMonth: 3, quotaReset: 'anchor:10' },
    ]);
    const { code, summary } = await sync(...LISTS);
    expect([code, summary.outcome]).toEqual([75, 'paused']);
    expect(summary.resumesAt?.slice(0, 10)).toBe('2026-03-10');
    expect(summary.items).toMatchObject({ failed: 0, done: 5 });
  });
});

test('keeps the count of each key for the next process', async () => {
  const { sync, counted } = world([
    { name: 'a', ratePerMinute: 3, callsPerMonth: 100 },
    { name: 'b', ratePerMinute: 1, callsPerMonth: 100 },
  ]);
  const codes: number[] = [];
  for (let turn = 0; turn < 10 && codes.at(-1) !== 0; turn++)
    codes.push((await sync(...LISTS, '--max-calls', '4')).code);
  expect([...new Set(codes)]).toEqual([75, 0]);
  expect(worstMinute(instantsOf('a'))).toBeLessThanOrEqual(3);
  expect(worstMinute(instantsOf('b'))).toBeLessThanOrEqual(1);
  expect(counted()).toEqual({ a: linesOf('a').length, b: linesOf('b').length });
});

test('counts the calls of a killed process by key, and the next one resumes', async () => {
  clock = systemClock;
  const { dataDir, sync, counted, env } = world([
    { name: 'a', ...ROOMY },
    { name: 'b', ...ROOMY },
  ]);
  const argv = [BIN, 'sync', ...LISTS, '--no-export'];
  const child = spawn(process.execPath, argv, {
    cwd: dataDir,
    env: { ...process.env, ...env, TRENDLAKE_DATA_DIR: dataDir },
    stdio: 'ignore',
  });
  let left = 6;
  fault = ({ response, body }) => {
    left -= 1;
    if (left > 0) respondJson(response, body);
    else child.kill('SIGKILL');
  };
  await once(child, 'close');
  fault = undefined;
  const [arrived, atKill] = [{ a: linesOf('a').length, b: linesOf('b').length }, counted()];
  expect(Math.min(arrived.a, arrived.b)).toBeGreaterThan(0);
  const { code } = await sync(...LISTS);
  expect(code).toBe(0);
  for (const name of ['a', 'b'] as const) {
    const neverArrived = (atKill[name] ?? 0) - arrived[name]; // in flight at the kill
    expect(neverArrived).toBeGreaterThanOrEqual(0);
    expect(counted()[name]).toBe(linesOf(name).length + neverArrived);
  }
});

describe('a key that the service turns away', () => {
  const turnAwayA = (headers: Record<string, string>): void => {
    fault = ({ request, response, body }) => {
      const isLimited = request.headers.authorization === 'Bearer secret-a';
      respondJson(response, isLimited ? {} : body, isLimited ? 429 : 200, isLimited ? headers : {});
    };
  };

  test('hands its work to another key after five calls', async () => {
    turnAwayA({});
    const { sync } = world([
      { name: 'a', ...ROOMY },
      { name: 'b', ...ROOMY },
    ]);
    const { code, summary } = await sync(...LISTS);
    expect([code, summary.outcome, summary.items.done]).toEqual([0, 'complete', 15]);
    expect(linesOf('a').length).toBeLessThanOrEqual(10); // five, and those under way by then
    expect(summary.quota.keys?.[0]?.stopped).toMatch(/turned away \d+ calls in a row/);
    expect(clock.now() - WORLD_AT).toBeLessThan(2 * MINUTE_MS);
  });

  test('hands it over at once if it must wait for minutes', async () => {
    turnAwayA({ 'retry-after': '600' });
    const { sync } = world([
      { name: 'a', ...ROOMY },
      { name: 'b', ...ROOMY },
    ]);
    const { code, summary } = await sync(...LISTS);
    expect([code, summary.outcome, linesOf('a').length]).toEqual([0, 'complete', 1]);
    expect(clock.now() - WORLD_AT).toBeLessThan(2 * MINUTE_MS);
  });

  test('waits where no other key serves its platforms', async () => {
    turnAwayA({ 'retry-after': '600' });
    const { sync } = world([
      { name: 'a', platforms: ['tiktok'], ...ROOMY },
      { name: 'b', platforms: ['instagram', 'youtube'], ...ROOMY },
    ]);
    await sync(...LISTS);
    expect(linesOf('a').length).toBeGreaterThan(1);
  });
});

test('skips a job after one call if its key is not allowed', async () => {
  fault = ({ request, response, body }) => {
    const isForbidden = request.url?.includes('/trends') === true;
    respondJson(response, isForbidden ? {} : body, isForbidden ? 403 : 200);
  };
  const { sync } = world([{ name: 'a', ...ROOMY }]);
  const { summary } = await sync('--jobs', 'trends');
  expect(linesOf('a').filter((line) => line.includes('/trends'))).toHaveLength(1);
  expect(summary.items).toMatchObject({ failed: 1, skipped: 8 });
});

test('uses another key for a job that a key is not allowed', async () => {
  fault = ({ request, response, body }) => {
    const isForbidden =
      request.headers.authorization === 'Bearer secret-a' && request.url?.includes('/trends');
    respondJson(response, isForbidden ? {} : body, isForbidden ? 403 : 200);
  };
  const { sync } = world([
    { name: 'a', ...ROOMY },
    { name: 'b', ...ROOMY },
  ]);
  const { code, summary } = await sync(...LISTS);
  expect([code, summary.outcome, summary.items.done]).toEqual([0, 'complete', 15]);
  expect(linesOf('a').some((line) => line.includes('/feed'))).toBe(true);
});

test('stops only the refused key', async () => {
  fault = ({ request, response }) => {
    const refused = request.headers.authorization === 'Bearer secret-a';
    response.writeHead(refused ? 401 : 404, { 'content-type': 'application/json' });
    response.end('{}');
  };
  const { sync, dataDir } = world([
    { name: 'a', platforms: ['tiktok'], ...ROOMY },
    { name: 'b', platforms: ['instagram', 'youtube'], ...ROOMY },
  ]);
  await sync(...LISTS);
  expect(linesOf('a')).toHaveLength(1);
  expect(linesOf('b').length).toBeGreaterThan(4);
  const lake = openLakeForReading(dataDir);
  const advice = lastFailures(lake, 100).map((failed) => failed.advice);
  lake.close();
  expect(advice.join()).toContain('Set the variable of key a to a valid key');
});

test('names the variable of a refused key that other keys replace', async () => {
  fault = ({ request, response, body }) => {
    const isRefused = request.headers.authorization === 'Bearer secret-a';
    respondJson(response, isRefused ? {} : body, isRefused ? 401 : 200);
  };
  const { command } = world([
    { name: 'a', ...ROOMY },
    { name: 'b', ...ROOMY },
  ]);
  const { code, out, err } = await command(['sync', '--json', '--no-export', ...LISTS]);
  const { outcome, quota } = JSON.parse(out) as RunSummary;
  expect({ code, outcome }).toEqual({ code: 0, outcome: 'complete' });
  expect(quota.keys?.map(({ stopped }) => stopped)).toEqual([
    expect.stringMatching(/\(401\)\. Check KEY_A\.$/),
    undefined,
  ]);
  expect(err).toMatch(/^Key a was left out: .* Check KEY_A\.$/m);
  expect(err).not.toContain('secret-');
});

test('makes a manual request with another key if the first has stopped', async () => {
  const { command, counted } = world([
    { name: 'a', ...ROOMY },
    { name: 'b', ...ROOMY },
  ]);
  fault = ({ request, response, body }) => {
    const isRefused = request.headers.authorization === 'Bearer secret-a';
    respondJson(response, isRefused ? {} : body, isRefused ? 401 : 200);
  };
  const { code } = await command(['analyze', '--upstream', '--json', 'tt_7240348510065823002']);
  expect({ code, calls: counted() }).toEqual({ code: 0, calls: { a: 1, b: 1 } });
});

test('accepts the example of the documentation', async () => {
  const [, example = ''] = /^```json\n([\s\S]*?)^```$/m.exec(sectionOf('Many keys')) ?? [];
  const { keys } = JSON.parse(example) as { keys: KeyEntry[] };
  const { sync, counted } = world(keys, {
    TRENDLAKE_KEY_BERLIN: 'secret-berlin',
    TRENDLAKE_KEY_OSLO: 'secret-oslo',
  });
  expect((await sync(...LISTS)).code).toBe(0);
  expect(linesOf('oslo').filter((line) => line.includes('tiktok'))).toEqual([]);
  expect(counted()).toEqual({ berlin: linesOf('berlin').length, oslo: linesOf('oslo').length });
});

test('shows each key and the totals in plan, status, /metrics and the pipeline page', async () => {
  const { dataDir, command, sync } = world([
    { name: 'a', platforms: ['tiktok'], ...ROOMY, callsPerMonth: 2 },
    { name: 'b', platforms: ['instagram', 'youtube'], ...ROOMY },
  ]);
  await sync(...LISTS);
  const plan = JSON.parse((await command(['plan', '--json'])).out);
  const left = plan.keys[1].month.remaining;
  expect(plan.keys).toMatchObject([
    { name: 'a', month: { spent: 2, remaining: 0 }, rest: { fits: false } },
    { name: 'b', month: { spent: 10_000 - left }, rest: { fits: true } },
  ]);
  expect(plan.month).toMatchObject({ limit: 10_002, spent: 2 + 10_000 - left, remaining: left });
  expect(plan.rest.fixed).toBe(plan.keys[0].rest.fixed + plan.keys[1].rest.fixed);
  expect((await command(['plan'])).out).toMatch(/│ a .*│ b /s);

  const status = JSON.parse((await command(['status', '--json'])).out);
  expect(status.accounting.keys).toMatchObject([
    { name: 'a', moment: { inMinute: 2, pause: null }, month: { remaining: 0 } },
    { name: 'b', month: { remaining: left } },
  ]);
  const { out } = await command(['status']);
  expect(out).toMatch(/key a +2 of 2 spent; 0 left until .*the schedules need [\d,]+ more/);
  expect(out).toMatch(/key b .* 1,000 in the last minute \(instagram, youtube\)/);

  const config = readConfig({ env: { TRENDLAKE_DATA_DIR: dataDir }, cwd: dataDir });
  const metrics = new Metrics({ ...config, clock, report: () => {} });
  expect(await metrics.text()).toContain(`trendlake_quota_remaining_calls{key="b"} ${left}`);
  await metrics.close();

  const lake = openLake(dataDir);
  lake.sqlite.exec("update calls set status = 401 where key = 'b'");
  expect((await command(['status'])).out).toContain(
    `, ${left.toLocaleString('en')} of them of keys that the service refuses`,
  );
  lake.sqlite.exec(`
    update calls set status = iif(key = 'a', 401, 200);
    insert into quota_hint (key, name, stated, window_ms, quota, remaining, resets_at, seen_at, call_id)
      values ('b', 'RateLimit "month"', 'r=0', 2592000000, 10000, 0, ${clock.now() + 9 * DAY_MS}, ${clock.now()}, 1)
      on conflict do update set remaining = 0, window_ms = excluded.window_ms, resets_at = excluded.resets_at`);
  lake.close();
  const after = (await command(['status'])).out;
  expect(after).toMatch(/key a .* left until .*: refused by the service at .* \(401\)/);
  expect(after).toMatch(/key b .* left until .*: the service states none until /);
  const pipeline = new PipelineReader({ dataDir, config, jobs: JOBS, chores: [] });
  const now = clock.now();
  const wish = { asOf: now, now, limit: 5, page: 1, run: undefined };
  const { present } = await pipeline.read(wish);
  await pipeline.close();
  const page = present === null ? '' : String(quotaSection(present, now, undefined));
  expect(page).toMatch(/<h3>Key a<\/h3>.*<h3>Key b<\/h3>/s);
  expect(page).toContain('Calls left of 2: 0 now');
});
