import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lakeRows } from '../../fixtures/lake-rows.ts';
import { WORLD_AT } from '../../fixtures/small-world.ts';
import { type Clock, virtualClock } from '../../src/base/clock.ts';
import { type Config, type Overrides, readConfig } from '../../src/base/config/config.ts';
import type { Secret } from '../../src/base/secret.ts';
import type { Lake } from '../../src/lake/open.ts';
import type { Job } from '../../src/run/plan/job.ts';
import type { RunSummary } from '../../src/run/run/run-summary.ts';
import { jobsNamed, sync } from '../../src/run/run/sync.ts';
import { type ApiClient, HttpApiClient } from '../../src/upstream/client.ts';
import { SMALL_JOBS } from './small-jobs.ts';
import { openTestLake } from './test-lake.ts';

/** The key every test sends; it must be found nowhere. */
export const KEY = 'tl_live_never-to-be-seen-anywhere-1234567890';
export const CONCURRENCY = 2;

/** Result of one command-like sync. */
export interface SyncResult {
  summary: RunSummary;
  rows: Record<string, unknown[]>;
  /** Ledger rows of all runs so far. */
  ledger: number;
}

export type SyncSetting = Config & { baseUrl: string; apiKey: Secret };

/** Settings of a small sync: 16 calls where everything goes well. */
export const smallConfig = (
  dataDir: string,
  baseUrl: string,
  overrides: Overrides = {},
): SyncSetting => {
  const given: Overrides = {
    baseUrl,
    apiKey: KEY,
    dataDir,
    ratePerMinute: '1000',
    callsPerMonth: '100000',
    platforms: 'tiktok,youtube',
    growthCalls: '3',
    creatorCalls: '2',
    concurrency: String(CONCURRENCY),
    timeoutMs: '10000',
    ...overrides,
  };
  return readConfig({ flags: given, env: {}, cwd: dataDir }) as SyncSetting;
};

export interface SyncOptions {
  config?: Overrides;
  clock?: Clock;
  signal?: AbortSignal;
  client?: (real: ApiClient) => ApiClient;
  lake?: Lake;
  /** All jobs there are, and those of them this run makes; without, those of a small run. */
  jobs?: readonly Job[];
  only?: readonly string[];
  onProgress?: () => void;
}

/** Opens the lake of `dataDir`, syncs it from `baseUrl` as the command does, and closes it. */
export const syncOnce = async (
  dataDir: string,
  baseUrl: string,
  options: SyncOptions = {},
): Promise<SyncResult> => {
  const config = smallConfig(dataDir, baseUrl, options.config);
  const lake = options.lake ?? openTestLake(dataDir);
  const real = new HttpApiClient(config);
  const jobs = options.jobs ?? SMALL_JOBS;
  try {
    const summaries = await sync(
      {
        lake,
        config,
        client: options.client?.(real) ?? real,
        clock: options.clock ?? virtualClock(WORLD_AT),
        random: () => 0.5,
        signal: options.signal ?? new AbortController().signal,
        jobs: jobsNamed(options.only, jobs),
        ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
      },
      jobs,
    );
    const summary = summaries.at(-1);
    if (summary === undefined) throw new Error('sync made no run');
    const ledger = lake.sqlite.prepare('select count(*) from calls').pluck().get() as number;
    return { summary, rows: lakeRows(lake), ledger };
  } finally {
    await real.close();
    if (options.lake === undefined) lake.close();
  }
};

/** Files under a folder whose bytes hold the key; kept bodies are looked into by `bodiesWithKey`. */
export const filesWithKey = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(KEY));
