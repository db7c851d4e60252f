import type { Config } from '../../base/config/config.ts';
import { messageOf } from '../../base/errors.ts';
import { Thread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { CountedKey } from '../../upstream/throttle/counted-key.ts';
import { countedKeys } from '../../upstream/throttle/key-limits.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import type { Sample } from './lake-metric.ts';

/** Monthly limits of the upstream key. */
export type QuotaLimits = Pick<Config, 'ratePerMinute' | 'callsPerMonth' | 'quotaReset'> & {
  /** Default: one key. */
  readonly keys?: Config['keys'];
};

/** Limits of one key. */
export type ScrapedKey = Omit<QuotaLimits, 'keys'> & { readonly key: CountedKey | undefined };

/** Month of each key in a shared ledger at `now` (Unix ms); null: the ledger did not answer. */
export type SharedMonths = (now: number) => Promise<readonly (MonthState | null)[]>;

/** `months` is undefined if the lake counts the calls. */
export interface ScrapeRequest {
  readonly now: number;
  readonly months: readonly (MonthState | null)[] | undefined;
}

/** Samples in the order of `LAKE_METRICS`, or the reason of a failure. */
export type ScrapeReport = { readonly samples: readonly Sample[][] } | { readonly failed: string };

export interface ScrapeStart {
  readonly dataDir: string;
  readonly keys: readonly ScrapedKey[];
}

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

/** Reads a lake's metrics in a worker thread that starts with the first scrape. */
export class LakeScraper {
  readonly #thread: Thread<ScrapeRequest, ScrapeReport>;
  readonly #sharedMonths: SharedMonths | undefined;

  constructor(dataDir: string, limits: QuotaLimits, sharedMonths?: SharedMonths) {
    this.#thread = new Thread({
      file: workerFile(import.meta.url, 'scrape-worker'),
      name: 'metrics',
      start: { dataDir, keys: scrapedKeys(limits) } satisfies ScrapeStart,
      limits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    });
    this.#sharedMonths = sharedMonths;
  }

  /** As of `now` (Unix ms). Errors of the lake are reported, not thrown. */
  async scrape(now: number): Promise<ScrapeReport> {
    const months = await this.#sharedMonths?.(now);
    try {
      return await this.#thread.request({ now, months });
    } catch (error) {
      return { failed: messageOf(error) };
    }
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
