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

// The thread that reads the lake for a scrape, so that the one that serves does not wait for it.
// Whole tables are counted again when the lake was written to: at once where that is quick, else
// after the response and at most a hundredth of the time, so that neither scrapes nor a core wait
// for it however large the lake is.

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
  lake.sqlite.pragma('temp_store = FILE'); // the first count sorts a year of calls, not in memory
  return { lake, calls: new CallTally(lake), tallies: tally(lake) };
};

/** Counts again what was written to since. @param costsMs what a count may cost to be made now */
const recount = (of: Open, costsMs: number): void => {
  const { version, madeAt, costMs } = of.tallies;
  const restedMs = systemClock.monotonic() - madeAt;
  const due = costMs < QUICK_MS || restedMs >= PATIENCE * costMs;
  if (costMs < costsMs && due && version !== lakeVersion(of.lake)) of.tallies = tally(of.lake);
};

const manifestOf = (): ManifestTotals | undefined => {
  const folder = join(dataDir, 'parquet');
  const file = statSync(join(folder, 'manifest.json'), { throwIfNoEntry: false });
  const stamp = file === undefined ? '' : `${file.ino} ${file.mtimeMs} ${file.size}`;
  if (manifest?.stamp !== stamp) manifest = { stamp, content: manifestTotals(folder) };
  return manifest.content;
};

/** What `work` gives, or why it cannot; then the lake is opened anew the next time. */
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
