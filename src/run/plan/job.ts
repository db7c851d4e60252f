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
}

/** A scheduled job with calls. Its file in jobs/ has its name. */
export interface Job {
  name: string;
  /** Cron expression in the configured time zone. */
  schedule: string;
  /** Lists are planned first. Refreshes follow what moved in them. */
  stage: 'lists' | 'refreshes';
  /** Lists only: number of lists per run, for the price. */
  lists?(config: Pick<Config, 'platforms'>): number;
  /** Plans the requests of one run. Called once per run. */
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
