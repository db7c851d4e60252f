import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { messageOf } from '../errors.ts';
import type { MonthState } from '../throttle/month.ts';
import { workerFile } from '../worker-file.ts';
import type { Sample } from './lake-metric.ts';

/** What the month of the upstream key allows. */
export type QuotaLimits = Pick<Config, 'ratePerMinute' | 'callsPerMonth' | 'quotaReset'>;

/** What a shared ledger says of the month at an instant (Unix ms); null while it cannot be reached. */
export type SharedMonth = (now: number) => Promise<MonthState | null>;

/** What the thread is sent: `month` is undefined where the lake counts it itself. */
export interface ScrapeRequest {
  readonly now: number;
  readonly month: MonthState | null | undefined;
}

/** What a scrape of the lake brought: samples in the order of `LAKE_METRICS`, or why it failed. */
export type ScrapeReport = { readonly samples: readonly Sample[][] } | { readonly failed: string };

/** Reads a lake's metrics in a thread of its own. */
export interface LakeReader {
  /** As of `now` (Unix ms). Never throws: what fails is in the report. */
  read(now: number): Promise<ScrapeReport>;
  close(): Promise<void>;
}

const THREAD = workerFile(import.meta.url, 'scrape-worker');

const HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

/** A reader of the lake in `dataDir`. Its thread begins with the first read: without scrapes it costs nothing. */
export const lakeReader = (
  dataDir: string,
  limits: QuotaLimits,
  sharedMonth?: SharedMonth,
): LakeReader => {
  let thread: Worker | undefined;
  const begin = (): Worker => {
    const { ratePerMinute, callsPerMonth, quotaReset } = limits;
    const workerData = { dataDir, limits: { ratePerMinute, callsPerMonth, quotaReset } };
    const worker = new Worker(THREAD, { workerData, resourceLimits: HEAP });
    worker.on('error', () => {}); // told by whoever waits for its response
    worker.on('exit', () => {
      if (thread === worker) thread = undefined;
    });
    worker.unref();
    return worker;
  };
  return {
    read: async (now) => {
      const month = await sharedMonth?.(now);
      thread ??= begin();
      const ended = new AbortController();
      const { signal } = ended;
      try {
        const answer = once(thread, 'message', { signal });
        const exit = once(thread, 'exit', { signal });
        thread.postMessage({ now, month });
        const [report] = (await Promise.race([answer, exit])) as [ScrapeReport | number];
        return typeof report === 'object'
          ? report
          : { failed: `the thread ended with code ${report}` };
      } catch (error) {
        return { failed: messageOf(error) };
      } finally {
        ended.abort();
      }
    },
    close: async () => {
      await thread?.terminate();
    },
  };
};
