import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { buildLake, END_AT } from '../../bench/serve/build-lake.ts';
import { startChild } from '../../bench/serve/child.ts';
import { createKey } from '../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';

// Effect of a flood of connections without a key on those who have one: a keyed feed and /health are
// asked for meanwhile, every 20 ms. Fails where the feed's p99 is over 100 ms or that of /health over 1 s.
//
//   node prove/security/flood.ts [--connections 400] [--seconds 10] [--videos 20000]

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '400' },
    seconds: { type: 'string', default: '10' },
    videos: { type: 'string', default: '20000' },
  },
});
const [connections, seconds, videos] = [values.connections, values.seconds, values.videos].map(
  Number,
) as [number, number, number];
const REST_MS = 20;
const FEED_MOST_MS = 100;
const HEALTH_MOST_MS = 1000;

const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-flood-'));
buildLake(dataDir, videos, 10);
const db = openServiceDb(dataDir);
const wish = { tier: 'enterprise', ratePerMinute: 1_000_000, callsPerMonth: 1e9 } as const;
const { key } = createKey(db, { useCase: 'flood', ...wish }, END_AT);
db.close();
const child = await startChild('service', dataDir, END_AT);
const authorization = `Bearer ${key}`;

/** Times answers, one after another, until `until` (performance.now()). */
const timed = async (path: string, headers: Record<string, string>, until: number) => {
  const pool = new Pool(child.origin, { connections: 1 });
  const spans: number[] = [];
  while (performance.now() < until) {
    const from = performance.now();
    const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
    await body.arrayBuffer();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    spans.push(performance.now() - from);
    await rest(REST_MS);
  }
  await pool.destroy();
  return spans.sort((a, b) => a - b);
};
const percentile = (spans: readonly number[], share: number): number =>
  spans[Math.min(spans.length - 1, Math.floor(spans.length * share))] ?? 0;
const told = (spans: readonly number[]): string =>
  `p50 ${percentile(spans, 0.5).toFixed(1)} p99 ${percentile(spans, 0.99).toFixed(1)} worst ${percentile(spans, 1).toFixed(1)} ms`;

const instants = Array.from(
  { length: 5000 },
  (_, minutes) => `/?asOf=${new Date(END_AT - minutes * 60_000).toISOString()}`,
);
interface Flood {
  readonly of: string;
  readonly paths: readonly string[];
  readonly body: string | null;
}
const FLOODS: readonly Flood[] = [
  { of: 'pages of 5,000 instants', paths: instants, body: null },
  { of: 'the dashboard', paths: ['/'], body: null },
  { of: 'the reference', paths: ['/docs'], body: null },
  { of: 'the interface without a key', paths: ['/v1/feed/youtube'], body: null },
  { of: 'signing in with wrong keys', paths: ['/sign-in'], body: 'key=tl_live_wrong' },
];

/** Asks for a feed that is computed and for the health, side by side. */
const both = async (path: string) => {
  const until = performance.now() + seconds * 1000;
  return Promise.all([timed(path, { authorization }, until), timed('/health', {}, until)]);
};
let isWithin = true;
const FEED = '/v1/feed/youtube?limit=50';
const [alone, healthAlone] = await both(FEED);
console.log(`alone: feed ${told(alone)}; health ${told(healthAlone)}`);
for (const { of, paths, body } of FLOODS) {
  const method = body === null ? 'GET' : 'POST';
  const worker = new Worker(new URL('./flooder.ts', import.meta.url), {
    workerData: { origin: child.origin, paths, method, connections, body },
  });
  const before = child.processorMs() ?? 0;
  const [feed, health] = await both(FEED);
  const usedMs = (child.processorMs() ?? 0) - before;
  worker.postMessage('enough');
  const [statuses] = (await once(worker, 'message')) as [Record<string, number>];
  const isGood =
    percentile(feed, 0.99) <= FEED_MOST_MS && percentile(health, 0.99) <= HEALTH_MOST_MS;
  isWithin &&= isGood;
  console.log(
    `${connections} connections, ${of}: feed ${told(feed)}; health ${told(health)}; the service used ${(usedMs / seconds / 10).toFixed(0)} % of a processor; the flood had ${JSON.stringify(statuses)}${isGood ? '' : `  OVER ${FEED_MOST_MS} ms`}`,
  );
}
await child.stop();
rmSync(dataDir, { recursive: true, force: true });
process.exitCode = isWithin ? 0 : 1;
