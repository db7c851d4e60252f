import type { Price } from '../../base/config/setting-readers.ts';
import { messageOf } from '../../base/errors.ts';
import { Thread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { Origin } from '../../lake/origin.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import { expectedSources } from '../plan/month-plan.ts';
import type { PipelineQuery, PipelineState, SpentElsewhere } from './pipeline-state.ts';
import type { PipelineSettings } from './schedule-state.ts';

/** Start data of the thread. */
export interface PipelineStart extends PipelineSettings {
  readonly dataDir: string;
}

export interface PipelineOptions extends PipelineStart {
  /** Spent calls of each key at `now` (Unix ms), if a shared ledger counts them. */
  readonly spent?: ((now: number) => Promise<readonly MonthSpent[]>) | undefined;
}

/** Without functions, which cannot be sent to a thread. */
const startOf = ({ dataDir, config, jobs, chores }: PipelineOptions): PipelineStart => ({
  dataDir,
  config,
  jobs: jobs.map(({ name, schedule, stage, lists = {} }) => ({ name, schedule, stage, lists })),
  chores: chores.map(({ name, schedule, schedulesWith = name }) => ({
    name,
    schedule,
    schedulesWith,
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
