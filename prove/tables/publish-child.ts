import { readFileSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import { keepHeapSmall } from '../../src/base/small-memory.ts';
import { openLake } from '../../src/lake/open.ts';
import { publishIfConfigured } from '../../src/output/delta/publish-if-configured.ts';

// One publish of `prove tables` in its own process: prints its time and peak memory.
// Usage: node prove/tables/publish-child.ts DATA_DIR NAME URL

/** Peak memory of this process; `resourceUsage` would count its parent's, too. */
const greatestKib = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

keepHeapSmall(); // as the command does
const [dataDir = '', lakeName = '', tablesUrl = ''] = process.argv.slice(2);
const lake = openLake(dataDir);
const { signal } = new AbortController();
const world = { clock: systemClock, random: Math.random, env: process.env, signal };
const done = await publishIfConfigured(lake, { tablesUrl, lake: lakeName }, world);
lake.close();
process.send?.({
  ...done,
  seconds: process.uptime(),
  mebibytes: greatestKib() / 1024,
});
process.disconnect?.();
