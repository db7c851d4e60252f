import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Config } from '../../base/config/config.ts';
import { messageOf } from '../../base/errors.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { CountedKey } from '../../upstream/throttle/counted-key.ts';
import { countedKeys } from '../../upstream/throttle/key-limits.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import type { Sample } from './lake-metric.ts';

/** What the month of the upstream key allows. */
export type QuotaLimits = Pick<Config, 'ratePerMinute' | 'callsPerMonth' | 'quotaReset'> & {
  /** Several keys; unless given there is one. */
  readonly keys?: Config['keys'];
};

/** What one key allows, as the thread is told. */
export type ScrapedKey = Omit<QuotaLimits, 'keys'> & { readonly key: CountedKey | undefined };

/** What a shared ledger says of each key's month at an instant (Unix ms); null: it does not tell now. */
export type SharedMonths = (now: number) => Promise<readonly (MonthState | null)[]>;

/** What the thread is sent: `months` is undefined where the lake counts them itself. */
export interface ScrapeRequest {
  readonly now: number;
  readonly months: readonly (MonthState | null)[] | undefined;
}

/** What a scrape of the lake brought: samples in the order of `LAKE_METRICS`, or why it failed. */
export type ScrapeReport = { readonly samples: readonly Sample[][] } | { readonly failed: string };

const THREAD = workerFile(import.meta.url, 'scrape-worker');

const HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

const scrapedKeys = ({ keys = [], ...only }: QuotaLimits): ScrapedKey[] => {
  const limits = ({ ratePerMinute, callsPerMonth, quotaReset }: Omit<QuotaLimits, 'keys'>) => ({
    ratePerMinute,
    callsPerMonth,
    quotaReset,
  });
  if (keys.length === 0) return [{ ...limits(only), key: undefined }];
  const counted = countedKeys(keys);
  return keys.map((key, index) => ({ ...limits(key), key: counted[index] }));
};

/**
 * Reads a lake's metrics in a thread of its own, which begins with the first scrape: without any it
 * costs nothing.
 */
export class LakeScraper {
  readonly #start: { readonly dataDir: string; readonly keys: readonly ScrapedKey[] };
  readonly #sharedMonths: SharedMonths | undefined;
  #thread: Worker | undefined;

  constructor(dataDir: string, limits: QuotaLimits, sharedMonths?: SharedMonths) {
    this.#start = { dataDir, keys: scrapedKeys(limits) };
    this.#sharedMonths = sharedMonths;
  }

  /** As of `now` (Unix ms). Never throws for the lake's sake: what fails is in the report. */
  async scrape(now: number): Promise<ScrapeReport> {
    const months = await this.#sharedMonths?.(now);
    this.#thread ??= this.#begin();
    const ended = new AbortController();
    const { signal } = ended;
    try {
      const reported = once(this.#thread, 'message', { signal });
      const exit = once(this.#thread, 'exit', { signal });
      this.#thread.postMessage({ now, months });
      const [report] = (await Promise.race([reported, exit])) as [ScrapeReport | number];
      return typeof report === 'object'
        ? report
        : { failed: `the thread ended with code ${report}` };
    } catch (error) {
      return { failed: messageOf(error) };
    } finally {
      ended.abort();
    }
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #begin(): Worker {
    const worker = new Worker(THREAD, { workerData: this.#start, resourceLimits: HEAP });
    worker.on('error', () => {}); // told by whoever waits for its report
    worker.on('exit', () => {
      if (this.#thread === worker) this.#thread = undefined;
    });
    worker.unref();
    return worker;
  }
}
