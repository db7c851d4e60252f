import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../../src/base/secret.ts';
import { noRows } from '../../../src/ingest/writers/tally.ts';
import { Background } from '../../../src/run/run/background.ts';
import { beatAddress, sendBeat } from '../../../src/run/run/heartbeat.ts';
import { runAfterSync } from '../../../src/run/run/night-hooks.ts';
import type { RunSummary } from '../../../src/run/run/run-summary.ts';
import { hoursAgo } from '../../serve/filled-lake.ts';
import { runService } from '../../serve/running.ts';
import { freshDataDir, freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

/** A monitor that records the paths of its requests. */
const monitor = async (answer = (response: ServerResponse) => void response.end('OK')) => {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/token`, paths };
};

const pipeline = async () => {
  const { service, clock, newKey } = await runService((into) => {
    for (let n = 1; n <= 12; n++)
      into.video({ id: `tt_${n}`, snapshots: [[hoursAgo(2), 1000 * n]] });
  });
  const dataDir = freshDataDir();
  const settings = {
    PATH: process.env.PATH,
    TRENDLAKE_BASE_URL: service.url,
    TRENDLAKE_API_KEY: newKey(),
    TRENDLAKE_PLATFORMS: 'tiktok',
  };
  const sync = (env: NodeJS.ProcessEnv) =>
    runCommand(['sync', '--jobs', 'feed', '--json'], {
      dataDir,
      clock,
      env: { ...settings, ...env },
    });
  return { sync, dataDir };
};

test('the monitor hears of the start, and of the success or the failure', async () => {
  const { sync } = await pipeline();
  const { url, paths } = await monitor();
  expect((await sync({ TRENDLAKE_HEARTBEAT: url })).code).toBe(0);
  expect(paths).toEqual(['/ping/token/start', '/ping/token']);
  const unreachable = 'http://127.0.0.1:1/v1';
  expect((await sync({ TRENDLAKE_HEARTBEAT: url, TRENDLAKE_BASE_URL: unreachable })).code).not.toBe(
    0,
  );
  expect(paths.slice(2)).toEqual(['/ping/token/start', '/ping/token/fail']);
});

test('the command gets the run and its changed partitions, and no secret', async () => {
  const { sync, dataDir } = await pipeline();
  const [json, env] = [join(freshFolder(), 'json'), join(freshFolder(), 'env')];
  const command = `cat > '${json}'; env > '${env}'`;
  const { out } = await sync({ TRENDLAKE_AFTER_SYNC: command });
  const { runId } = JSON.parse(out) as RunSummary;
  const given = JSON.parse(readFileSync(json, 'utf8')) as { partitions: string[] };
  expect(given).toMatchObject({
    runId,
    rows: 36,
    partitions: expect.arrayContaining(['videos/videos.parquet']),
  });
  for (const path of given.partitions)
    expect(existsSync(join(dataDir, 'parquet', path)), path).toBe(true);
  const variables = readFileSync(env, 'utf8');
  expect(variables).toContain(`TRENDLAKE_RUN_ID=${runId}\n`);
  expect(variables).toContain('TRENDLAKE_RUN_ROWS=36\n');
  expect(variables).toContain(`TRENDLAKE_CHANGED_PARTITIONS=${given.partitions[0]}\n`);
  expect(variables).not.toContain('TRENDLAKE_API_KEY');
});

test('a failing hook or monitor is a warning and does not stop a run', async () => {
  const { sync } = await pipeline();
  const { url } = await monitor((response) => void response.writeHead(500).end());
  const end = await sync({ TRENDLAKE_HEARTBEAT: url, TRENDLAKE_AFTER_SYNC: 'exit 7' });
  expect(end.code).toBe(0);
  expect(end.err).toContain('TRENDLAKE_HEARTBEAT for success: it answered 500');
  expect(end.err).toMatch(/AFTER_SYNC failed after run 1: the command ended with exit code 7/);
  expect(end.err).not.toContain('token');
  const dead = await sync({ TRENDLAKE_HEARTBEAT: 'http://127.0.0.1:1/token' });
  expect(dead).toMatchObject({ code: 0, err: expect.not.stringContaining('token') });
});

test('hanging receivers are given up after their timeout', async () => {
  const { url } = await monitor(() => {});
  const warnings: string[] = [];
  const { signal } = new AbortController();
  const warn = (sentence: string): void => void warnings.push(sentence);
  const timeoutMs = 50;
  const monitored = { heartbeat: new Secret(url), proxy: undefined, signal, timeoutMs, warn };
  await sendBeat('start', monitored);
  await sendBeat('success', monitored);
  const run = { runId: 3, rows: noRows() } as RunSummary;
  const world = { env: process.env, signal, timeoutMs, warn };
  await runAfterSync(new Secret('sleep 600'), { run, changed: [] }, world);
  expect(warnings).toEqual([
    expect.stringContaining('for start: no response within 0.05 s'),
    expect.stringContaining('for success: no response within 0.05 s'),
    expect.stringContaining('it took longer than 0.05 s and was ended'),
  ]);
});

test('hooks of several runs happen one after the other, beside the runs', async () => {
  const order: string[] = [];
  const background = new Background();
  const { promise, resolve } = Promise.withResolvers<void>();
  background.queue(async () => {
    await promise;
    order.push('first');
  });
  background.queue(async () => void order.push('second'));
  order.push('run');
  resolve();
  await background.close();
  expect(order).toEqual(['run', 'first', 'second']);
});

test('addresses of healthchecks.io and Uptime Kuma', () => {
  const ping = 'https://hc-ping.com/uuid';
  const kuma = 'https://kuma.example/api/push/abc?status=up&msg=OK&ping=';
  expect((['start', 'success', 'fail'] as const).map((beat) => beatAddress(ping, beat))).toEqual([
    'https://hc-ping.com/uuid/start',
    'https://hc-ping.com/uuid',
    'https://hc-ping.com/uuid/fail',
  ]);
  expect((['start', 'success', 'fail'] as const).map((beat) => beatAddress(kuma, beat))).toEqual([
    undefined,
    'https://kuma.example/api/push/abc?status=up&msg=OK&ping=',
    'https://kuma.example/api/push/abc?status=down&msg=OK&ping=',
  ]);
});
