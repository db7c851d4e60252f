import type { Config } from '../../base/config/config.ts';
import type { ApiClient } from '../../upstream/client.ts';
import { keysOf, type OwnKey } from '../../upstream/throttle/key-limits.ts';
import type { Job } from '../plan/job.ts';
import type { ThrottleOptions } from './open-throttle.ts';

export interface RunKey extends OwnKey {
  readonly client: ApiClient;
}

export interface RunDeps
  extends Omit<ThrottleOptions, 'limits' | 'counts' | 'hasHelp' | 'isAnswer' | 'config'> {
  config: Config;
  /** Several keys with their clients. Default: the key of `config` with `client`. */
  keys?: readonly RunKey[];
  signal: AbortSignal;
  jobs: readonly Job[];
  /** All jobs: they share the month's budget. */
  allJobs?: readonly Job[];
  onProgress?: (progress: RunProgress) => void;
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
export const runKeys = (deps: Pick<RunDeps, 'client' | 'keys' | 'config'>): readonly RunKey[] =>
  deps.keys ?? keysOf({ ...deps.config, keys: [] }).map((key) => ({ ...key, client: deps.client }));
