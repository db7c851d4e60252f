import type { Price } from '../../base/config/setting-readers.ts';
import { messageOf } from '../../base/errors.ts';
import { Thread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { Origin } from '../../lake/origin.ts';
import { type KeysConfig, keysOf } from '../../upstream/throttle/key-limits.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import { expectedSources } from '../plan/expected-sources.ts';
import { type KeyPlan, keyPlans } from '../plan/key-plan.ts';
import type { PlanConfig, PlannedJob } from '../plan/month-plan.ts';
import type { PipelineQuery, PipelineState, SpentElsewhere } from './pipeline-state.ts';
import type { ScheduledChore } from './schedule-state.ts';

/** Start data of the thread. Functions cannot be sent, so lists are counted before. */
export interface PipelineStart {
  readonly dataDir: string;
  readonly config: PlanConfig;
  readonly jobs: readonly CountedJob[];
  readonly chores: readonly ScheduledChore[];
  readonly plans: readonly (Omit<KeyPlan, 'jobs'> & { readonly jobs: readonly CountedJob[] })[];
}

type CountedJob = Omit<PlannedJob, 'lists'> & { readonly lists: number };

export interface PipelineOptions {
  readonly dataDir: string;
  readonly config: PlanConfig & KeysConfig & { readonly pricePer1000?: Price | undefined };
  readonly jobs: readonly PlannedJob[];
  readonly chores: readonly ScheduledChore[];
  /** Spent calls of each key at `now` (Unix ms), if a shared ledger counts them. */
  readonly spent?: ((now: number) => Promise<readonly MonthSpent[]>) | undefined;
}

const planConfig = (config: PlanConfig): PlanConfig => ({
  quotaReset: config.quotaReset,
  callsPerMonth: config.callsPerMonth,
  ratePerMinute: config.ratePerMinute,
  growthCalls: config.growthCalls,
  creatorCalls: config.creatorCalls,
  listItems: config.listItems,
  schedules: config.schedules,
  timezone: config.timezone,
  shares: config.shares,
  reservePercent: config.reservePercent,
  watchShare: config.watchShare,
  platforms: config.platforms,
});

const countedJobs = (jobs: readonly PlannedJob[], config: PlanConfig): CountedJob[] =>
  jobs.map(({ name, schedule, stage, lists }) => ({
    name,
    schedule,
    stage,
    lists: lists?.(config) ?? 0,
  }));

const startOf = ({ dataDir, config, jobs, chores }: PipelineOptions): PipelineStart => ({
  dataDir,
  config: planConfig(config),
  jobs: countedJobs(jobs, config),
  plans: keyPlans(keysOf(config), config, jobs).map((plan) => ({
    key: plan.key,
    config: planConfig(plan.config),
    jobs: countedJobs(plan.jobs, plan.config),
  })),
  chores: chores.map(({ name, schedule, schedulesWith }) => ({
    name,
    schedule,
    ...(schedulesWith === undefined ? {} : { schedulesWith }),
  })),
});

/** Reads the state of a pipeline in a worker thread that starts with the first read. */
export class PipelineReader {
  readonly #options: PipelineOptions;
  readonly #thread: Thread<PipelineQuery, PipelineState>;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#thread = new Thread({
      file: workerFile(import.meta.url, 'pipeline-worker'),
      name: 'pipeline',
      start: startOf(options),
      limits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    });
  }

  /** Price of 1,000 calls. */
  get price(): Price | undefined {
    return this.#options.config.pricePer1000;
  }

  /** Instant since when a job should have answered at `at`, Unix ms. Undefined: it has no slots. */
  staleAt(job: string, at: number, origin: Origin | undefined): number | undefined {
    const { jobs, config } = this.#options;
    const named = jobs.filter(({ name }) => name === job);
    return expectedSources(named, config, at, origin)[0]?.staleAt;
  }

  /** @throws Error when the lake cannot be read or the thread ended */
  async read(query: Omit<PipelineQuery, 'spent'>): Promise<PipelineState> {
    return this.#thread.request({ ...query, spent: await this.#spent(query.now) });
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #spent(now: number): Promise<SpentElsewhere | undefined> {
    try {
      return await this.#options.spent?.(now);
    } catch (error) {
      return { unknown: messageOf(error) };
    }
  }
}
