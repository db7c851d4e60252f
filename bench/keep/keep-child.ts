import { systemClock } from '../../src/base/clock.ts';
import { keepSettings } from '../../src/base/config/keep-setting.ts';
import { giveBackFreePages } from '../../src/lake/give-back.ts';
import { openLake } from '../../src/lake/open.ts';
import { keepLake } from '../../src/run/maintenance/keep.ts';

// Applies a TRENDLAKE_KEEP to the lake of a folder, and prints the rows and the time as JSON.

const [dataDir = '', keep = '{}', now = '0'] = process.argv.slice(2);
const read = keepSettings(keep);
if ('expected' in read) throw new Error(`TRENDLAKE_KEEP must be ${read.expected}`);
const lake = openLake(dataDir);
const clock = { ...systemClock, now: () => Number(now) };
try {
  const from = performance.now();
  const removed = await keepLake(lake, read.value, { clock });
  const keptMs = performance.now() - from;
  await giveBackFreePages(lake, { clock });
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const processorMs = (userCPUTime + systemCPUTime) / 1000;
  const peakMb = maxRSS / 1024;
  console.log(
    JSON.stringify({ removed, keptMs, allMs: performance.now() - from, processorMs, peakMb }),
  );
} finally {
  lake.close();
}
