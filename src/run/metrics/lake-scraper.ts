import type { Config } from '../../base/config/config.ts';
import { messageOf } from '../../base/errors.ts';
import { Thread } from '../../base/thread.ts';
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

/** What the thread is started with. */
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

  /** As of `now` (Unix ms). Never throws because of the lake: the report says what failed. */
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
