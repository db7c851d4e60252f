import { systemClock } from '../../src/base/clock.ts';
import { withExclusive } from '../../src/lake/exclusive.ts';
import { openLake } from '../../src/lake/open.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { tellEvents } from '../../src/run/run/night.ts';
import { sync } from '../../src/run/run/sync.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';
import { watchPoints } from './kill-points.ts';
import { SMALL_JOBS } from './small-jobs.ts';
import { enter, STAGE_OF } from './stages.ts';
import { smallConfig } from './sync-once.ts';

// Does the work of `trendlake sync` in a process that a test kills: `sync-child <data dir> <base
// url> [point] [n]` dies at the n-th time it reaches the point. It writes its stage (stages.ts),
// and exits with 0 when the run was completed and exported.
const [dataDir = '', baseUrl = '', point = '', n = '1'] = process.argv.slice(2);
const config = smallConfig(dataDir, baseUrl, { timeoutMs: '120000' }); // a busy machine must not count as a fault
enter('o');
const lake = openLake(dataDir);
let left = Number(n);
const watched = [point, ...Object.keys(STAGE_OF)];
const { client, onProgress } = watchPoints(lake, new HttpApiClient(config), watched, (reached) => {
  const stage = STAGE_OF[reached];
  if (stage !== undefined) enter(stage);
  if (reached === point) left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
const context = {
  clock: systemClock,
  random: Math.random,
  signal: new AbortController().signal,
};
const deps = { lake, config, client, jobs: SMALL_JOBS, onProgress, ...context };
const summaries = await withExclusive(dataDir, 'sync', systemClock, () => sync(deps, SMALL_JOBS));
enter('n');
await tellEvents({ lake, config, ...context, warn: () => {} });
enter('x');
await exportLake(lake, { clock: systemClock, onProgress: () => enter('x') });
enter('d');
await client.close();
lake.close();
if (summaries.at(-1)?.outcome !== 'complete') process.exitCode = 1;
