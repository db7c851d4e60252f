import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/durations.ts';
import { clockProblems, clockSkewMs, noteClockSkew } from '../../../src/lake/clock-skew.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { removeFuture } from '../../../src/run/maintenance/remove-future.ts';
import { freshDataDir, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const NOW = Date.UTC(2026, 2, 1);
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** An upstream with its own clock that answers every request with the same list (default: empty). */
const upstreamAt = async (
  at: number,
  body = '{"total":0,"page":1,"items":[]}',
): Promise<NodeJS.ProcessEnv> => {
  const server = createServer((_, response) => {
    response.sendDate = false;
    response.setHeader('date', new Date(at).toUTCString());
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { TRENDLAKE_BASE_URL: `http://127.0.0.1:${port}/v1`, TRENDLAKE_API_KEY: 'tl_live_clock' };
};

test('loads nothing and stops after one call if the clock is a day ahead', async () => {
  const dataDir = freshDataDir();
  const env = await upstreamAt(NOW - 420 * DAY_MS);
  const { code, err } = await runCommand(['sync', '--no-export'], { dataDir, env });
  expect(code).toBe(1);
  expect(err).toContain('420 days ahead of the service');
  expect(err).toContain('--trust-clock');
  const lake = openLakeForReading(dataDir);
  expect(countOf(lake, 'select count(*) from calls')).toBeLessThan(10);
  expect(countOf(lake, 'select count(*) from capture')).toBe(0);
  lake.close();
});

test('loads with --trust-clock', async () => {
  const dataDir = freshDataDir();
  const env = await upstreamAt(NOW - 2 * DAY_MS);
  const trusting = ['sync', '--no-export', '--trust-clock', '--jobs', 'feed'];
  expect((await runCommand(trusting, { dataDir, env })).code).toBe(0);
  const lake = openLakeForReading(dataDir);
  expect(countOf(lake, 'select count(*) from capture')).toBeGreaterThan(0);
  lake.close();
});

test.each([
  ['ahead of', -HOUR_MS],
  ['behind', 3 * DAY_MS],
])('status and doctor warn of a clock %s the service', async (words, serviceIsMs) => {
  const dataDir = freshDataDir();
  const env = await upstreamAt(NOW + serviceIsMs);
  await runCommand(['sync', '--no-export', '--jobs', 'feed'], { dataDir, env });
  expect((await runCommand(['status'], { dataDir })).out).toContain(`${words} the service's`);
  const { out, code } = await runCommand(['doctor'], { dataDir });
  expect(code).toBe(1);
  expect(out).toMatch(/^BAD {2}clock/m);
});

test('drops the warning once the clocks agree again', () => {
  const lake = freshLake();
  noteClockSkew(lake, HOUR_MS);
  expect(clockProblems(lake, NOW)).toHaveLength(1);
  noteClockSkew(lake, 5 * MINUTE_MS);
  expect(clockProblems(lake, NOW)).toEqual([]);
});

test('ignores responses without a usable date', () => {
  expect(clockSkewMs({}, NOW)).toBeUndefined();
  expect(clockSkewMs({ date: 'yesterday' }, NOW)).toBeUndefined();
});

const ITEM =
  '{"id":"tt_1","platform":"tiktok","title":"a","user":"u","views":7,"likes":1,"createdAt":"2026-02-27"}';

test('finds rows of the future, and doctor --remove-future removes them', async () => {
  const dataDir = freshDataDir();
  const env = await upstreamAt(NOW, `{"total":1,"page":1,"items":[${ITEM}]}`);
  const feed = ['sync', '--no-export', '--jobs', 'feed', '--trust-clock'];
  const snapshots = (): number => {
    const lake = openLakeForReading(dataDir);
    try {
      return countOf(lake, 'select count(*) from video_snapshots');
    } finally {
      lake.close();
    }
  };
  await runCommand(feed, { dataDir, env, clock: virtualClock(NOW) });
  const before = snapshots();
  await runCommand(feed, { dataDir, env, clock: virtualClock(NOW + 420 * DAY_MS) });
  expect(snapshots()).toBeGreaterThan(before);

  const clock = virtualClock(NOW + 5 * MINUTE_MS);
  const found = await runCommand(['doctor'], { dataDir, clock });
  expect(found.out).toContain('The lake holds rows of the future');
  const { code, out } = await runCommand(['doctor', '--remove-future'], { dataDir, clock });
  expect([code, out]).toEqual([0, expect.stringMatching(/^Removed [1-9]\d* rows of the future/)]);
  expect(snapshots()).toBe(before);
  await runCommand([...feed.slice(0, 4)], { dataDir, env, clock }); // the clocks agree again
  expect((await runCommand(['doctor'], { dataDir, clock })).out).toMatch(/^ok {3}clock/m);
});

test('keeps counting calls of the future', () => {
  const lake = freshLake();
  lake.sqlite.exec(`insert into calls (sender, job, request, sent_at, finished_at, status, sent)
    values ('s', 'feed', 'GET /feed', ${NOW + 300 * DAY_MS}, ${NOW + 300 * DAY_MS}, 200, 1)`);
  expect(removeFuture(lake, NOW).moved.calls).toBe(1);
  expect(countOf(lake, `select count(*) from calls where sent_at = ${NOW}`)).toBe(1);
});
