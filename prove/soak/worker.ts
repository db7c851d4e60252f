import { CHORES, JOBS } from '../../jobs/all-jobs.ts';
import { systemClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config/config.ts';
import { Secret } from '../../src/base/secret.ts';
import { openLake } from '../../src/lake/open.ts';
import { tellEvents } from '../../src/run/run/night.ts';
import { sync } from '../../src/run/run/sync.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';

// One process of prove-soak.ts: what the daemon does at a slot, again and again without a pause,
// until SIGTERM. It answers `sample` with the runs so far, `collect` also with the bytes that live on
// its heap.

const [dataDir = '', baseUrl = '', apiKey = ''] = process.argv.slice(2);
const given = {
  dataDir,
  baseUrl,
  apiKey,
  platforms: 'tiktok,youtube',
  growthCalls: '4',
  creatorCalls: '3',
  ratePerMinute: '100000',
  callsPerMonth: '100000000',
  timeoutMs: '10000',
};
const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
const config = readConfig({ flags: given, env: {}, cwd: dataDir });
const lake = openLake(dataDir);
const client = new HttpApiClient({ ...config, baseUrl, apiKey: new Secret(apiKey) });
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort(new Error('the soak is over')));
let runs = 0;
process.on('message', (wish) => {
  if (wish === 'collect') globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  process.send?.(wish === 'collect' ? { runs, heapUsed } : { runs });
});
const { signal } = stopping;
const context = { lake, config, clock: systemClock, signal };
const outcomes: Record<string, number> = {};
const CHORES_EVERY = 20; // a day's worth of hourly runs, about

for (let round = 1; !signal.aborted; round++) {
  runs = round - 1;
  const deps = { ...context, client, random: Math.random, jobs: JOBS };
  for (const { outcome, resumesAt } of await sync(deps, JOBS)) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    const waitMs = resumesAt === null ? 0 : Date.parse(resumesAt) - systemClock.now();
    await systemClock.sleep(Math.max(0, waitMs), signal).catch(() => {}); // stopped
  }
  if (signal.aborted) break;
  try {
    await tellEvents({ ...context, random: Math.random, warn: tell });
    for (const chore of CHORES)
      if (chore.name === 'export' || round % CHORES_EVERY === 0)
        await chore.run({ ...context, random: Math.random, env: process.env });
  } catch (error) {
    if (error !== signal.reason) throw error; // an export that the end of the soak cut off
  }
}
await client.close();
lake.close();
process.send?.({ outcomes });
process.disconnect?.();
