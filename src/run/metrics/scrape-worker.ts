import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { answerRequests, threadStart } from '../../base/thread.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { LAKE_FILE, type Lake, openLakeForReading } from '../../lake/open.ts';
import { type ManifestTotals, manifestTotals } from '../../output/parquet/manifest.ts';
import { monthState } from '../../upstream/throttle/lake-ledger.ts';
import { CallTally } from './call-tally.ts';
import { LAKE_METRICS } from './lake-metrics.ts';
import type { ScrapeReport, ScrapeRequest, ScrapeStart } from './lake-scraper.ts';
import { type Tallies, tallyLake } from './tallies.ts';

// Reads the lake for a scrape in a worker thread, so that the service does not wait. After writes,
// whole tables are counted again: immediately if that is quick, else after the response and for at
// most 1 % of the time.

const { dataDir, keys } = threadStart<ScrapeStart>();
const QUICK_MS = 20;
const PATIENCE = 100;
const CACHE_KIB = 4 * 1024;

interface Open {
  readonly lake: Lake;
  readonly calls: CallTally;
  tallies: { content: Tallies; version: number; madeAt: number; costMs: number };
}

let open: Open | undefined;
let manifest: { stamp: string; content: ManifestTotals | undefined } | undefined;

const tally = (lake: Lake): Open['tallies'] => {
  const version = lakeVersion(lake);
  const madeAt = systemClock.monotonic();
  const content = tallyLake(lake);
  return { content, version, madeAt, costMs: systemClock.monotonic() - madeAt };
};

const openLake = (): Open => {
  const lake = openLakeForReading(dataDir);
  lake.sqlite.pragma(`cache_size = -${CACHE_KIB}`);
  lake.sqlite.pragma('temp_store = FILE'); // the first count sorts a year of calls, too many for memory
  return { lake, calls: new CallTally(lake), tallies: tally(lake) };
};

/**
 * Counts again after writes.
 * @param maxCostMs maximum duration for counting now
 */
const recount = (source: Open, maxCostMs: number): void => {
  const { version, madeAt, costMs } = source.tallies;
  const restedMs = systemClock.monotonic() - madeAt;
  const isDue = costMs < QUICK_MS || restedMs >= PATIENCE * costMs;
  if (costMs < maxCostMs && isDue && version !== lakeVersion(source.lake))
    source.tallies = tally(source.lake);
};

const manifestOf = (): ManifestTotals | undefined => {
  const folder = join(dataDir, 'parquet');
  const file = statSync(join(folder, 'manifest.json'), { throwIfNoEntry: false });
  const stamp = file === undefined ? '' : `${file.ino} ${file.mtimeMs} ${file.size}`;
  if (manifest?.stamp !== stamp) manifest = { stamp, content: manifestTotals(folder) };
  return manifest.content;
};

/** Result of `work`, or the reason of its failure. After a failure, the lake is reopened next time. */
const orFailed = <T>(work: () => T): T | { failed: string } => {
  try {
    return work();
  } catch (error) {
    open?.lake.close();
    open = undefined;
    return { failed: messageOf(lakeErrorOf(error, join(dataDir, LAKE_FILE)) ?? error) };
  }
};

const scrape = ({ now, months: shared }: ScrapeRequest): ScrapeReport => {
  open ??= openLake();
  recount(open, QUICK_MS);
  const { lake, tallies, calls } = open;
  const months = keys.map((limits, index) => ({
    key: limits.key,
    month: shared === undefined ? monthState(lake, limits, now) : (shared[index] ?? null),
  }));
  const counted = { tallies: tallies.content, ...calls.update() };
  const countsItself = shared === undefined;
  const scraped = { lake, now, months, countsItself, manifest: manifestOf(), ...counted };
  const samples = LAKE_METRICS.map((metric) => metric.read(scraped));
  return { samples };
};

const recountLater = (): void =>
  void orFailed(() => open !== undefined && recount(open, Number.POSITIVE_INFINITY));

answerRequests((request: ScrapeRequest): ScrapeReport => {
  setImmediate(recountLater); // after the response
  return orFailed(() => scrape(request));
});
