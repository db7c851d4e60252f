/** A measurement, bench/NAME.ts. Its options are at the top of its file. */
export interface Bench {
  readonly about: string;
  /** Options of it in `bench all`. Undefined: it is not part of that. */
  readonly inAll?: readonly string[];
}

/** Every bench, by name. `bench all` runs its benches in this order, that of docs/internals/performance.md. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  all: {
    about: 'every figure of docs/internals/performance.md in ten minutes; --write updates the page',
  },
  'sync-peer': {
    about: 'a sync of 300 pages, beside curl, jq and sqlite-utils',
    inAll: ['--rounds', '3'],
  },
  bulk: {
    about: 'an import of the real data set, and a replay of 1,000 pages',
    inAll: ['--pages', '1000'],
  },
  scale: {
    about: 'opening, nights, export and service on a small and a large lake',
    inAll: ['--snapshots', '2000000', '--base', '200000', '--rounds', '3'],
  },
  export: { about: 'full Parquet export, beside DuckDB', inAll: ['--rounds', '3'] },
  forecast: {
    about: 'forecasts on real curves; --lake N: learning time on a made lake',
    inAll: ['--lake', '1000000'],
  },
  serve: {
    about: 'responses of the service, beside bare servers',
    inAll: ['--videos', '100000', '--requests', '300'],
  },
  start: { about: 'start-up time of the commands', inAll: ['--rounds', '3'] },
  budget: { about: 'error left by each way to spend the same calls' },
  events: { about: 'how early and how surely trend.spike finds videos on real curves' },
  'events-speed': { about: 'event detection after a sync, on a lake of a million videos' },
  keep: { about: 'the job keep on a lake of N snapshots: time, bytes, latency of the service' },
  load: { about: 'loading of pages on a small and a large lake, beside bare statements' },
  'load-peer': { about: 'loading of pages, beside a hand-written upsert' },
  pages: { about: 'size and speed of each page of the dashboard' },
  search: { about: 'search on a large lake: index cost and response times' },
  watch: { about: 'an agency on the beta tier: price, pace and lateness of its watches' },
  webhooks: { about: 'deliveries while the sender is killed and endpoints are dead' },
};
