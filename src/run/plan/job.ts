import type { JobName } from '../../../schema/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Lake } from '../../lake/open.ts';
import type { PlannedItem } from './planned-item.ts';
import type { RefreshPlanner } from './refresh-planner.ts';

/** What a job may read while it plans. It asks for nothing yet. */
export interface PlanContext {
  lake: Lake;
  config: Config;
  clock: Clock;
  runId: number;
  /** What the budget chooses for the two jobs that refresh what is known. */
  refreshes: RefreshPlanner;
  /** Calls that watches may make in this run; 0 for other jobs. */
  watchCalls: number;
}

/** One scheduled job that asks for something; its file in jobs/ is named after it. */
export interface Job {
  name: string;
  /** Cron expression, in the configured time zone. */
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

/** What a chore is handed of the world. */
export interface ChoreContext {
  lake: Lake;
  config: Config;
  clock: Clock;
  random: () => number;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** What a chore did. */
export interface ChoreDone {
  /** In words. */
  did: string;
  /** What it wrote, of chores that write files. */
  files?: number;
  rows?: number;
}

/** A scheduled job that asks the service for nothing. */
export interface Chore {
  name: string;
  schedule: string;
  /** The job that it follows: where that one's schedule is changed, this one's changes with it. */
  schedulesWith?: JobName;
  /** Whether the settings ask for it; always, unless given. */
  isWanted?(config: Config): boolean;
  /** Does the work; safe to run twice. */
  run(context: ChoreContext): Promise<ChoreDone>;
}
