import type { JobName } from '../../../schema/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Lake } from '../../lake/open.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';

/** A planned request, and the reason for choosing it. */
export interface PlannedItem {
  request: UpstreamRequest;
  reason?: Record<string, unknown>;
}

/** Refreshes of one run, best first. */
export interface Refreshes {
  growth: PlannedItem[];
  creators: PlannedItem[];
}

export interface PlanContext {
  lake: Lake;
  config: Config;
  clock: Clock;
  runId: number;
  /** Refreshes chosen by the budget; empty for other jobs. */
  refreshes: Refreshes;
  /** Calls that watches may make in this run; 0 for other jobs. */
  watchCalls: number;
}

/** A scheduled job with calls. Its file in jobs/ has its name. */
export interface Job {
  name: string;
  /** Cron expression in the configured time zone. */
  schedule: string;
  /** Order of planning: lists first, then watches they did not serve, then refreshes of what moved. */
  stage: 'lists' | 'watches' | 'refreshes';
  /** Number of lists that one run reads: for each platform, and for all of them together. */
  lists?: { readonly perPlatform?: number; readonly shared?: number };
  /** Watches only: expected calls of one run, where the lake is known. May be a fraction. */
  expectedCalls?: number;
  /** Plans the job's requests of one run; called once for a run, what it plans is kept. */
  plan(context: PlanContext): PlannedItem[];
}

export interface ChoreContext {
  lake: Lake;
  config: Config;
  clock: Clock;
  random: () => number;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

export interface ChoreDone {
  /** Summary for people. */
  did: string;
  /** Written files and rows. */
  files?: number;
  rows?: number;
}

/** A scheduled job without calls. */
export interface Chore {
  name: string;
  schedule: string;
  /** Job whose changed schedule also applies to this one. */
  schedulesWith?: JobName;
  /** True if the settings enable it. Default: always. */
  isWanted?(config: Config): boolean;
  /** Safe to run twice. */
  run(context: ChoreContext): Promise<ChoreDone>;
}
