import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Log } from '../../base/log.ts';
import type { Lake } from '../../lake/open.ts';
import type { ApiClient } from '../../upstream/client.ts';
import type { LedgerSource } from '../../upstream/throttle/ledger.ts';
import type { Job } from '../plan/job.ts';
import type { RunKey } from './key-lane.ts';

/** What a run needs of the world. */
export interface RunDeps {
  lake: Lake;
  config: Config;
  client: ApiClient;
  /** Several keys, each with a client of its own; unless given, the one of `config`, through `client`. */
  keys?: readonly RunKey[];
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
  jobs: readonly Job[];
  /** Where calls are counted; in the lake unless given. */
  ledgers?: LedgerSource;
  /** Every job there is: the month's budget is shared with those that run at other times. */
  allJobs?: readonly Job[];
  /** Compare this clock with the service's; absent: the clock may be virtual. */
  clockCheck?: { readonly isTrusted: boolean };
  /** At most so many calls; then the run pauses. */
  maxCalls?: number;
  onProgress?: (progress: RunProgress) => void;
  /** Told when the run waits, for the service or for its own pace, and why. */
  onWait?: (waitMs: number, why: string) => void;
  /** Told what happens, call by call; says nothing unless given. */
  log?: Log;
}

/** How far a run is. */
export interface RunProgress {
  job: string;
  request: string;
  ended: number;
  planned: number;
  callsSent: number;
  /** Milliseconds this will still take at the pace so far; null while unknown. */
  remainingMs: number | null;
}
