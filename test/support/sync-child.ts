import { apiClient } from '../../src/api/client.ts';
import { systemClock } from '../../src/clock.ts';
import { exportLake } from '../../src/export/export-lake.ts';
import { openLake } from '../../src/lake/open.ts';
import { sync } from '../../src/runner/sync.ts';
import { watchPoints } from './kill-points.ts';
import { SMALL_JOBS } from './small-jobs.ts';
import { smallConfig } from './sync-once.ts';

// A sync in a process of its own, for tests that kill it: `sync-child <data dir> <base url>
// [point] [n]` dies at the n-th time it reaches the point; without one it
// ends with an export.
const [dataDir = '', baseUrl = '', point = '', n = '1'] = process.argv.slice(2);
const config = smallConfig(dataDir, baseUrl);
const lake = openLake(dataDir);
let left = Number(n);
const { client, onProgress } = watchPoints(lake, apiClient(config), [point], () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
process.send?.('started');
const summaries = await sync(
  {
    lake,
    config,
    client,
    clock: systemClock,
    random: Math.random,
    signal: new AbortController().signal,
    jobs: SMALL_JOBS,
    onProgress,
  },
  SMALL_JOBS,
);
if (point === '') await exportLake(lake, { clock: systemClock });
await client.close();
lake.close();
process.send?.(summaries.at(-1)?.outcome ?? 'none');
process.disconnect?.();
