import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Sample } from './lake-metric.ts';
import { LAKE_METRICS } from './lake-metrics.ts';
import { lakeReader, type QuotaLimits, type SharedMonths } from './lake-reader.ts';
import { addProcessMetrics } from './process-metrics.ts';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The route's pattern, never the address: that is anybody's to choose. */
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
}

/** The metrics of one service and of its lake. */
export interface Metrics {
  readonly contentType: string;
  count(request: AnsweredRequest): void;
  /** All of them as text, in the Prometheus format. Never throws for the lake's sake. */
  text(): Promise<string>;
  /** Name, type, help and labels of each, in the order of the text. */
  list(): { name: string; type: string; help: string; labels: readonly string[] }[];
  close(): Promise<void>;
}

export interface MetricsOptions extends QuotaLimits {
  readonly dataDir: string;
  readonly clock: Clock;
  /** Where a shared ledger counts the months of the upstream keys. */
  readonly sharedMonths?: SharedMonths;
  /** Receives a sentence for whoever runs the service when the lake's metrics go, or come back. */
  readonly report?: (sentence: string) => void;
}

/** From a repeated response out of memory to the longest that a request may take. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

type Settable = Gauge | Counter;

const labelsOf = (metric: object): string[] =>
  'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];

const fill = (metric: Settable, samples: readonly Sample[]): void => {
  metric.reset();
  // a reset leaves 0 where there are no labels, but not known is not zero
  if (labelsOf(metric).length === 0) metric.remove();
  for (const [value, labels = {}] of samples)
    if (metric instanceof Gauge) metric.set({ ...labels }, value);
    else metric.inc({ ...labels }, value);
};

/** The metrics of a service over a data directory. */
export const createMetrics = (options: MetricsOptions): Metrics => {
  const { dataDir, clock, report: tell = () => {} } = options;
  const registry = new Registry();
  const registers = [registry];
  const ofLake = LAKE_METRICS.map(({ name, help, type, labels }): Settable => {
    const config = { name, help, labelNames: [...labels], registers };
    return type === 'gauge' ? new Gauge(config) : new Counter(config);
  });
  const readable = new Gauge({
    name: 'trendlake_lake_up',
    help: '1: the lake could be read for this scrape. 0: it could not, and none of its metrics is here; the log of serve says why, trendlake doctor what to do.',
    registers,
  });
  const requests = new Counter({
    name: 'trendlake_http_requests_total',
    help: 'Requests to this service, by method, route and status; status 499 is a client that left before its response.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'trendlake_http_request_duration_seconds',
    help: 'From a request to the last byte of its response, by route.',
    labelNames: ['route'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const stopProcess = addProcessMetrics(registry, clock);
  const reader = lakeReader(dataDir, options, options.sharedMonths);

  let fault: string | undefined;
  let isClosed = false;
  const noteFault = (now: string | undefined): void => {
    if (now === fault || isClosed) return;
    fault = now;
    tell(
      now === undefined
        ? 'The lake can be read for /metrics again: trendlake_lake_up is 1.'
        : `The lake cannot be read for /metrics, trendlake_lake_up is 0: ${now}`,
    );
  };

  const scrape = async (): Promise<string> => {
    const report = await reader.read(clock.now());
    const samples = 'samples' in report ? report.samples : [];
    readable.set('samples' in report ? 1 : 0);
    noteFault('failed' in report ? report.failed : undefined);
    for (const [index, metric] of ofLake.entries()) fill(metric, samples[index] ?? []);
    return registry.metrics();
  };
  let under: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    count: ({ method, route, status, tookMs }) => {
      requests.inc({ method: METHODS.has(method) ? method : 'other', route, status });
      durations.observe({ route }, tookMs / 1000);
    },
    text: () => {
      under ??= scrape().finally(() => {
        under = undefined;
      });
      return under;
    },
    list: () =>
      registry.getMetricsAsArray().map((metric) => ({
        name: metric.name,
        type: String(metric.type),
        help: metric.help,
        labels: labelsOf(metric),
      })),
    close: async () => {
      isClosed = true;
      stopProcess();
      await reader.close();
    },
  };
};
