import { Worker } from 'node:worker_threads';
import type { Price } from '../../base/config/setting-readers.ts';
import { messageOf } from '../../base/errors.ts';
import { workerFile } from '../../base/worker-file.ts';
import { type KeysConfig, keysOf } from '../../upstream/throttle/key-limits.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import { type KeyPlan, keyPlans } from '../plan/key-plan.ts';
import type { PlanConfig, PlannedJob } from '../plan/month-plan.ts';
import type { PipelineQuery, PipelineState, SpentElsewhere } from './pipeline-state.ts';
import type { ScheduledChore } from './schedule-state.ts';

/** What the thread is started with: a thread is handed data, so lists are counted before. */
export interface PipelineStart {
  readonly dataDir: string;
  readonly config: PlanConfig;
  readonly jobs: readonly CountedJob[];
  readonly chores: readonly ScheduledChore[];
  readonly plans: readonly (Omit<KeyPlan, 'jobs'> & { readonly jobs: readonly CountedJob[] })[];
}

type CountedJob = Omit<PlannedJob, 'lists'> & { readonly lists: number };

/** What one reading brought, or why it failed. */
export type PipelineReport = { readonly state: PipelineState } | { readonly failed: string };

/** Settings of a pipeline, as far as its page tells of them. */
export interface PipelineOptions {
  readonly dataDir: string;
  readonly config: PlanConfig & KeysConfig & { readonly pricePer1000?: Price | undefined };
  readonly jobs: readonly PlannedJob[];
  readonly chores: readonly ScheduledChore[];
  /** What is spent of each key's month at an instant (Unix ms), where another ledger than the lake's counts it. */
  readonly spent?: ((now: number) => Promise<readonly MonthSpent[]>) | undefined;
}

const HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };
const THREAD = workerFile(import.meta.url, 'pipeline-worker');

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
  platforms: config.platforms,
});

const countedJobs = (jobs: readonly PlannedJob[], config: PlanConfig): CountedJob[] =>
  jobs.map(({ name, schedule, stage, lists }) => ({
    name,
    schedule,
    stage,
    lists: lists?.(config) ?? 0,
  }));

/**
 * Reads a pipeline in a thread of its own, which begins with the first reading: a service whose page
 * nobody opens pays nothing for it.
 */
export class PipelineReader {
  readonly #options: PipelineOptions;
  readonly #waiting = new Map<number, PromiseWithResolvers<PipelineState>>();
  #thread: Worker | undefined;
  #last = 0;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** What a thousand calls cost; undefined: not set. */
  get price(): Price | undefined {
    return this.#options.config.pricePer1000;
  }

  /** @throws (rejects) Error when the lake cannot be read or the thread ended */
  async read(query: Omit<PipelineQuery, 'spent'>): Promise<PipelineState> {
    const spent = await this.#spent(query.now);
    this.#thread ??= this.#started();
    this.#last += 1;
    const waiting = Promise.withResolvers<PipelineState>();
    this.#waiting.set(this.#last, waiting);
    this.#thread.postMessage([this.#last, { ...query, spent }]);
    return waiting.promise;
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #spent(now: number): Promise<SpentElsewhere | undefined> {
    try {
      return await this.#options.spent?.(now);
    } catch (error) {
      return { unknown: messageOf(error) };
    }
  }

  #started(): Worker {
    const { dataDir, config, jobs, chores } = this.#options;
    const workerData: PipelineStart = {
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
    };
    const worker = new Worker(THREAD, { workerData, resourceLimits: HEAP });
    worker.unref();
    worker.on('message', ([id, report]: [number, PipelineReport]) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if ('state' in report) waiting?.resolve(report.state);
      else waiting?.reject(new Error(report.failed));
    });
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () =>
      this.#lose(worker, new Error('The thread that reads the pipeline ended.')),
    );
    return worker;
  }

  #lose(worker: Worker, error: Error): void {
    if (this.#thread === worker) this.#thread = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
