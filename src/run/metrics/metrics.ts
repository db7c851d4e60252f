import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import type { Sample } from './lake-metric.ts';
import { LAKE_METRICS } from './lake-metrics.ts';
import { LakeScraper, type QuotaLimits, type SharedMonths } from './lake-scraper.ts';
import { addProcessMetrics } from './process-metrics.ts';

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

const fill = (metric: Settable, samples: readonly Sample[]): void => {
  metric.reset();
  // reset() sets a metric without labels to 0, but unknown is not zero
  if (labelsOf(metric).length === 0) metric.remove();
  for (const [value, labels = {}] of samples)
    if (metric instanceof Gauge) metric.set({ ...labels }, value);
    else metric.inc({ ...labels }, value);
};

const requestsCounter = (registers: Registry[]) =>
  new Counter({
    name: 'trendlake_http_requests_total',
    help: 'Requests to this service by method, route and status. 499: the client disconnected.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });

const durationsHistogram = (registers: Registry[]) =>
  new Histogram({
    name: 'trendlake_http_request_duration_seconds',
    help: 'Seconds from a request to the last byte of its response, by route.',
    labelNames: ['route'],
    buckets: BUCKETS_SECONDS,
    registers,
  });

export class Metrics {
  readonly #clock: Clock;
  readonly #report: (sentence: string) => void;
  readonly #registry = new Registry();
  readonly #ofLake: readonly Settable[];
  readonly #readable: Gauge;
  readonly #requests: ReturnType<typeof requestsCounter>;
  readonly #durations: ReturnType<typeof durationsHistogram>;
  readonly #stopProcess: () => void;
  readonly #lake: LakeScraper;
  /** Scrape in progress, shared by simultaneous requests. */
  #underWay: Promise<string> | undefined;
  #fault: string | undefined;
  #isClosed = false;

  constructor(options: MetricsOptions) {
    const registers = [this.#registry];
    this.#clock = options.clock;
    this.#report = options.report ?? (() => {});
    this.#ofLake = LAKE_METRICS.map(({ name, help, type, labels }): Settable => {
      const config = { name, help, labelNames: [...labels], registers };
      return type === 'gauge' ? new Gauge(config) : new Counter(config);
    });
    this.#readable = new Gauge({
      name: 'trendlake_lake_up',
      help: '1 if the lake could be read. If 0, its metrics are missing: see the log of serve, or run trendlake doctor.',
      registers,
    });
    this.#requests = requestsCounter(registers);
    this.#durations = durationsHistogram(registers);
    this.#stopProcess = addProcessMetrics(this.#registry, options.clock);
    this.#lake = new LakeScraper(options.dataDir, options, options.sharedMonths);
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
    await this.#lake.close();
  }

  async #scrape(): Promise<string> {
    const report = await this.#lake.scrape(this.#clock.now());
    const samples = 'samples' in report ? report.samples : [];
    this.#readable.set('samples' in report ? 1 : 0);
    this.#noteFault('failed' in report ? report.failed : undefined);
    for (const [index, metric] of this.#ofLake.entries()) fill(metric, samples[index] ?? []);
    return this.#registry.metrics();
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
