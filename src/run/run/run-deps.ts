import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Log } from '../../base/log.ts';
import type { Lake } from '../../lake/open.ts';
import type { ApiClient } from '../../upstream/client.ts';
import { type KeysConfig, keysOf, type OwnKey } from '../../upstream/throttle/key-limits.ts';
import type { LedgerSource } from '../../upstream/throttle/ledger.ts';
import type { Job } from '../plan/job.ts';

export interface RunKey extends OwnKey {
  readonly client: ApiClient;
}

export interface RunDeps {
  lake: Lake;
  config: Config;
  client: ApiClient;
  /** Several keys with their clients. Default: the key of `config` with `client`. */
  keys?: readonly RunKey[];
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
  jobs: readonly Job[];
  /** Default: the lake. */
  ledgers?: LedgerSource;
  /** All jobs: they share the month's budget. */
  allJobs?: readonly Job[];
  /** Compares this clock with the service's. Leave it out for a virtual clock. */
  clockCheck?: { readonly isTrusted: boolean };
  /** Maximum number of calls. The run pauses then. */
  maxCalls?: number;
  onProgress?: (progress: RunProgress) => void;
  /** Called when the run waits, with the reason. */
  onWait?: (waitMs: number, why: string) => void;
  /** Default: silent. */
  log?: Log;
}

export interface RunProgress {
  job: string;
  request: string;
  ended: number;
  planned: number;
  callsSent: number;
  /** Estimated remaining time, ms; null: unknown. */
  remainingMs: number | null;
}

/** Given keys, or the key of the settings. */
export const runKeys = (
  deps: Pick<RunDeps, 'client' | 'keys'> & { readonly config: KeysConfig },
): readonly RunKey[] =>
  deps.keys ?? keysOf({ ...deps.config, keys: [] }).map((key) => ({ ...key, client: deps.client }));
