import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { messageOf } from '../../base/errors.ts';
import { Thread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { CountedKey } from '../../upstream/throttle/counted-key.ts';
import { countedKeys } from '../../upstream/throttle/key-limits.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import { COUNTED_METRICS, type Sample, SCRAPED_METRICS } from './lake-metrics.ts';
import { addProcessMetrics } from './process-metrics.ts';

/** Monthly limits of the upstream key. */
type QuotaLimits = Pick<Config, 'ratePerMinute' | 'callsPerMonth' | 'quotaReset'>;

/** Month of each key in a shared ledger at `now` (Unix ms); null: the ledger did not answer. */
export type SharedMonths = (now: number) => Promise<readonly (MonthState | null)[]>;

/** Start of the thread that reads the lake. */
export interface ScrapeStart {
  readonly dataDir: string;
  readonly keys: readonly (QuotaLimits & { readonly key: CountedKey | undefined })[];
}

/** `months` is undefined if the lake counts the calls. */
export interface ScrapeRequest {
  readonly now: number; // Unix ms
  readonly months: readonly (MonthState | null)[] | undefined;
}

/** Samples of the lake's metrics by name. */
export type Samples = Readonly<Record<string, readonly Sample[]>>;

/** Samples, or the reason of a failure. */
export type ScrapeReport = { readonly samples: Samples } | { readonly failed: string };

export interface ServedRequest {
  readonly method: string;
  /** The route's pattern. Clients can choose addresses freely. */
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
}

interface ListedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface MetricsOptions extends QuotaLimits {
  readonly dataDir: string;
  /** Default: one key. */
  readonly keys?: Config['keys'];
  readonly clock: Clock;
  /** Set if a shared ledger counts the calls of the upstream keys. */
  readonly sharedMonths?: SharedMonths;
  /** Receives a sentence when the lake becomes unreadable or readable again. */
  readonly report?: (sentence: string) => void;
}

/** From a cached response to the longest timeout. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

type Settable = Gauge | Counter;

const labelsOf = (metric: object): string[] =>
  'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];

const fill = (metric: Settable, samples: readonly Sample[] = []): void => {
  metric.reset();
  const names = labelsOf(metric);
  // reset() sets a metric without labels to 0, but unknown is not zero
  if (names.length === 0) metric.remove();
  for (const [value, ...texts] of samples) {
    const labels = Object.fromEntries(texts.map((text, index) => [names[index], text]));
    if (metric instanceof Gauge) metric.set(labels, value);
    else metric.inc(labels, value);
  }
};

const startOf = ({ dataDir, keys = [], ...limits }: MetricsOptions): ScrapeStart => {
  const counted = countedKeys(keys);
  const all = keys.length === 0 ? [limits] : keys;
  return {
    dataDir,
    keys: all.map(({ ratePerMinute, callsPerMonth, quotaReset }, index) => ({
      ratePerMinute,
      callsPerMonth,
      quotaReset,
      key: counted[index],
    })),
  };
};

const lakeMetrics = (registers: Registry[]): Map<string, Settable> => {
  const all = Object.entries({ ...COUNTED_METRICS, ...SCRAPED_METRICS });
  return new Map(
    all.map(([name, [labels, help]]) => {
      const config = { name, help, labelNames: [...labels], registers };
      return [name, name.endsWith('_total') ? new Counter(config) : new Gauge(config)];
    }),
  );
};

export class Metrics {
  readonly #registry = new Registry();
  readonly #ofLake = lakeMetrics([this.#registry]);
  readonly #readable = new Gauge({
    name: 'trendlake_lake_up',
    help: '1 if the lake could be read. If 0, its metrics are missing: see the log of serve, or run trendlake doctor.',
    registers: [this.#registry],
  });
  readonly #requests = new Counter({
    name: 'trendlake_http_requests_total',
    help: 'Requests to this service by method, route and status. 499: the client disconnected.',
    labelNames: ['method', 'route', 'status'],
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: 'trendlake_http_request_duration_seconds',
    help: 'Seconds from a request to the last byte of its response, by route.',
    labelNames: ['route'],
    buckets: BUCKETS_SECONDS,
    registers: [this.#registry],
  });
  readonly #clock: Clock;
  readonly #report: (sentence: string) => void;
  readonly #stopProcess: () => void;
  readonly #thread: Thread<ScrapeRequest, ScrapeReport>;
  readonly #sharedMonths: SharedMonths | undefined;
  /** Scrape in progress, shared by simultaneous requests. */
  #underWay: Promise<string> | undefined;
  #fault: string | undefined;
  #isClosed = false;

  constructor(options: MetricsOptions) {
    this.#clock = options.clock;
    this.#report = options.report ?? (() => {});
    this.#stopProcess = addProcessMetrics(this.#registry, options.clock);
    this.#thread = new Thread({
      file: workerFile(import.meta.url, 'scrape-worker'),
      name: 'metrics',
      start: startOf(options),
      limits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    });
    this.#sharedMonths = options.sharedMonths;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  count({ method, route, status, tookMs }: ServedRequest): void {
    this.#requests.inc({ method: METHODS.has(method) ? method : 'other', route, status });
    this.#durations.observe({ route }, tookMs / 1000);
  }

  /** All metrics in the Prometheus format. Never throws because of the lake. */
  text(): Promise<string> {
    this.#underWay ??= this.#scrape().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** In the order of the text. */
  list(): ListedMetric[] {
    return this.#registry.getMetricsAsArray().map((metric) => ({
      name: metric.name,
      type: String(metric.type),
      help: metric.help,
      labels: labelsOf(metric),
    }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopProcess();
    await this.#thread.close();
  }

  async #scrape(): Promise<string> {
    const report = await this.#readLake();
    const samples = 'samples' in report ? report.samples : {};
    this.#readable.set('samples' in report ? 1 : 0);
    this.#noteFault('failed' in report ? report.failed : undefined);
    for (const [name, metric] of this.#ofLake) fill(metric, samples[name]);
    return this.#registry.metrics();
  }

  async #readLake(): Promise<ScrapeReport> {
    const now = this.#clock.now();
    const months = await this.#sharedMonths?.(now);
    return this.#thread
      .request({ now, months })
      .catch((error: unknown) => ({ failed: messageOf(error) }));
  }

  #noteFault(now: string | undefined): void {
    if (now === this.#fault || this.#isClosed) return;
    this.#fault = now;
    this.#report(
      now === undefined
        ? 'The lake can be read for /metrics again: trendlake_lake_up is 1.'
        : `The lake cannot be read for /metrics, trendlake_lake_up is 0: ${now}`,
    );
  }
}
