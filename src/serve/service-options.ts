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
  /** Keys and what they spent, closed with it; those of the data directory unless given. */
  readonly keys?: KeyStore;
  /** Time of limits and, unless `at` is given, of responses. */
  readonly clock: Clock;
  /** Time of the machine, whatever time is shown: how long to wait, and what takes too long. */
  readonly machine: Clock;
  /** Default 127.0.0.1: reachable from this machine only. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Where people reach it from outside, such as `https://trends.example`. */
  readonly publicUrl?: string | undefined;
  /** Opens the pages and `/metrics` to whoever reaches them. */
  readonly publicDashboard?: boolean | undefined;
  /**
   * Unix ms at which the responses' clock stands still, or what tells their time; limits go on in
   * `clock`'s time.
   */
  readonly at?: number | (() => number);
  /** False: hardly anybody is going to search, so that words that wait for the index go on waiting. */
  readonly isSearched?: boolean;
  /** Shared with the upstream; without it `POST /hooks/upstream` is off. */
  readonly hookSecret?: HookSecret | undefined;
  /** Webhook subscriptions that one key may have; as many as usual unless given. */
  readonly subscriptionsPerKey?: number;
  /** Proxies of webhooks to subscribers. */
  readonly webhookProxy?: ProxySettings | undefined;
  /** Results that a watched search reads, for its price. Default 200, as in the settings. */
  readonly listItems?: number;
  /** Receives a line for each request and each failure; silent unless given. */
  readonly log?: Logger;
  /** Without a log: receives a line for each thing that failed unexpectedly. */
  readonly report?: (sentence: string) => void;
  /** Puts analyses into words; statistical without one. */
  readonly model?: ModelSettings | undefined;
  /** What `/metrics` tells; without it there is no such address. */
  readonly metrics?: Metrics | undefined;
  /** Origins whose pages may read responses in a browser; none by default. */
  readonly corsOrigins?: readonly string[];
  /** Computes the lists that most ask for a second after it listens, where they take long. */
  readonly computesAhead?: boolean;
  /** What one request may cost the others, where it is not as usual. */
  readonly readLimits?: Partial<ReadLimits>;
  /** The same of queries in SQL. */
  readonly sqlLimits?: Partial<SqlLimits>;
  /** What pulls into the lake, for the page about it; without, there is no such page. */
  readonly pipeline?: PipelineReader | undefined;
}

/** A service that is listening. `url` ends in `/v1`. */
export interface RunningService {
  readonly url: string;
  readonly dashboard: string;
  /** What is open to whom, in a sentence. */
  readonly openness: string;
  /** Takes no new requests, lets those under way end (5 s at most), then lets go of the lake. */
  close(): Promise<void>;
}
