import type { JobName } from '../../../schema/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Lake } from '../../lake/open.ts';
import type { PlannedItem } from './planned-item.ts';
import type { RefreshPlanner } from './refresh-planner.ts';

export interface PlanContext {
  lake: Lake;
  config: Config;
  clock: Clock;
  runId: number;
  /** Refreshes chosen by the budget. */
  refreshes: RefreshPlanner;
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
  /** Lists only: how many lists one run reads, so that its price is known before. */
  lists?(config: Pick<Config, 'platforms'>): number;
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
