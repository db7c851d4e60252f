import type { Logger } from 'pino';
import type { HookSecret } from '../alerts/webhooks/hook-proof.ts';
import type { Clock } from '../base/clock.ts';
import type { ProxySettings } from '../base/proxy.ts';
import type { KeyStore } from '../lake/keys/key-store.ts';
import type { ModelSettings } from '../learn/why/model.ts';
import type { Metrics } from '../run/metrics/metrics.ts';
import type { PipelineReader } from '../run/pipeline/pipeline-reader.ts';
import type { ReadLimits } from './cache/heavy-reads.ts';
import type { SqlLimits } from './request/sql-queries.ts';

export interface ServiceOptions {
  readonly dataDir: string;
  /** Closed with the service. Default: the keys of the data directory. */
  readonly keys?: KeyStore;
  /** Time of limits and, without `at`, of responses. */
  readonly clock: Clock;
  /** Real time, for timeouts and waits. */
  readonly machine: Clock;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Public URL such as `https://trends.example`. */
  readonly publicUrl?: string | undefined;
  /** Opens pages and `/metrics` without a key. */
  readonly publicDashboard?: boolean | undefined;
  /** Fixed time of responses in Unix ms, or a function that returns it. Limits use `clock`. */
  readonly at?: number | (() => number);
  /** False: startup does not update the search index. */
  readonly isSearched?: boolean;
  /** Shared with the upstream; without it `POST /hooks/upstream` is off. */
  readonly hookSecret?: HookSecret | undefined;
  /** Webhook subscriptions allowed per key. */
  readonly subscriptionsPerKey?: number;
  /** Proxies of webhooks to subscribers. */
  readonly webhookProxy?: ProxySettings | undefined;
  /** Results that a watched search reads, for its price. Default 200, as in the settings. */
  readonly listItems?: number;
  /** Receives a line for each request and failure. */
  readonly log?: Logger;
  /** Receives unexpected errors if `log` is undefined. */
  readonly report?: (sentence: string) => void;
  /** Language model that words analyses. Without it they are statistical. */
  readonly model?: ModelSettings | undefined;
  /** Undefined: no `/metrics`. */
  readonly metrics?: Metrics | undefined;
  /** Origins whose pages may read responses. */
  readonly corsOrigins?: readonly string[];
  readonly readLimits?: Partial<ReadLimits>;
  readonly sqlLimits?: Partial<SqlLimits>;
  /** Undefined: no page about the pipeline. */
  readonly pipeline?: PipelineReader | undefined;
}

/** A service that is listening. `url` ends in `/v1`. */
export interface RunningService {
  readonly url: string;
  readonly dashboard: string;
  /** A sentence about access without a key. */
  readonly openness: string;
  /** Rejects new requests, waits up to 5 s for open ones, then closes the lake. */
  close(): Promise<void>;
}
