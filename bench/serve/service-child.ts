import { virtualClock } from '../../src/clock.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { startService } from '../../src/serve/service.ts';

// The service in a process of its own, so that its memory and its processor are its alone, set up as `serve` does. Its
// answers' clock starts at an instant and goes on, so that what it keeps grows old. Prints its address and how long it
// took to start; stops when its input ends.

const [dataDir = '', at = ''] = process.argv.slice(2);
const from = performance.now();
const clock = virtualClock(Number(at));
const quota = { ratePerMinute: 60, callsPerMonth: 50_000, quotaReset: 'calendar' };
const metrics = createMetrics({ dataDir, clock, ...quota });
const service = await startService({
  dataDir,
  clock,
  metrics,
  at: () => Number(at) + performance.now(),
});
console.log(JSON.stringify({ url: service.url, startedMs: performance.now() - from }));
process.stdin.resume().once('end', () => void service.close().then(() => metrics.close()));
