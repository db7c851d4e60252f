import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { answerRequests, threadStart } from '../../base/thread.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { LAKE_FILE, type Lake, openLakeForReading } from '../../lake/open.ts';
import { manifestTotals } from '../../output/parquet/manifest.ts';
import { monthState } from '../../upstream/throttle/lake-ledger.ts';
import { CallTally } from './call-tally.ts';
import { COUNTED_METRICS, readMetrics, SCRAPED_METRICS } from './lake-metrics.ts';
import type { Samples, ScrapeReport, ScrapeRequest, ScrapeStart } from './metrics.ts';

// Reads the lake for a scrape in a worker thread, so that the service does not wait.

const { dataDir, keys } = threadStart<ScrapeStart>();
const CACHE_KIB = 4 * 1024;
/** Whole tables are counted for at most 1 % of the time. */
const REST_PER_COST = 100;

interface Open {
  readonly lake: Lake;
  readonly calls: CallTally;
  counted: { samples: Samples; version: number; nextAtMs: number };
}

let open: Open | undefined;

const countTables = (lake: Lake): Open['counted'] => {
  const version = lakeVersion(lake);
  const startedAtMs = systemClock.monotonic();
  const samples = readMetrics(COUNTED_METRICS, { lake });
  const endedAtMs = systemClock.monotonic();
  return { samples, version, nextAtMs: endedAtMs + REST_PER_COST * (endedAtMs - startedAtMs) };
};

const openLake = (): Open => {
  const lake = openLakeForReading(dataDir);
  lake.sqlite.pragma(`cache_size = -${CACHE_KIB}`);
  lake.sqlite.pragma('temp_store = FILE'); // the first count sorts a year of calls, too many for memory
  return { lake, calls: new CallTally(lake), counted: countTables(lake) };
};

const scrape = ({ now, months: shared }: ScrapeRequest): Samples => {
  open ??= openLake();
  const { lake, calls, counted } = open;
  if (counted.version !== lakeVersion(lake) && systemClock.monotonic() >= counted.nextAtMs)
    open.counted = countTables(lake);
  const months = keys.map((limits, index) => ({
    key: limits.key,
    month: shared === undefined ? monthState(lake, limits, now) : (shared[index] ?? null),
  }));
  const manifest = manifestTotals(join(dataDir, 'parquet'));
  const countsItself = shared === undefined;
  const scraped = { lake, now, months, countsItself, manifest, ...calls.update() };
  return { ...open.counted.samples, ...readMetrics(SCRAPED_METRICS, scraped) };
};

answerRequests((request: ScrapeRequest): ScrapeReport => {
  try {
    return { samples: scrape(request) };
  } catch (error) {
    open?.lake.close();
    open = undefined; // reopened by the next scrape
    return { failed: messageOf(lakeErrorOf(error, join(dataDir, LAKE_FILE)) ?? error) };
  }
});
