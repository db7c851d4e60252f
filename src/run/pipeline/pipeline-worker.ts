import { answerRequests, threadStart } from '../../base/thread.ts';
import { oneReading } from '../../lake/one-reading.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';
import type { PlannedJob } from '../plan/month-plan.ts';
import { withWatches } from '../plan/watch-planner.ts';
import type { PipelineStart } from './pipeline-reader.ts';
import { type PipelineQuery, type PipelineState, pipelineState } from './pipeline-state.ts';

// Reads the pipeline in a worker thread, so that the service does not wait for counts.

const CACHE_KIB = 4 * 1024;

const { dataDir, config, jobs, chores, plans } = threadStart<PipelineStart>();
const withLists = (counted: PipelineStart['jobs']): PlannedJob[] =>
  counted.map(({ lists, ...job }) => ({ ...job, lists: () => lists }));
const totalRate = plans.reduce((sum, plan) => sum + plan.config.ratePerMinute, 0);

/** The jobs of each key, with its part of the expected calls of watches. */
const settingsAt = (from: Lake, now: number) => {
  const priced = withWatches(withLists(jobs), from, config, { now });
  const expected = priced.find(({ stage }) => stage === 'watches')?.expectedCalls ?? 0;
  const ofKey = (plan: PipelineStart['plans'][number]): PlannedJob[] =>
    withLists(plan.jobs).map((job) =>
      job.stage === 'watches'
        ? { ...job, expectedCalls: (expected * plan.config.ratePerMinute) / totalRate }
        : job,
    );
  return {
    config,
    chores,
    jobs: priced,
    plans: plans.map((plan) => ({ ...plan, jobs: ofKey(plan) })),
  };
};
let lake: Lake | undefined;

const read = (query: PipelineQuery): PipelineState => {
  try {
    lake ??= openLakeForReading(dataDir);
    lake.sqlite.pragma(`cache_size = -${CACHE_KIB}`);
    lake.sqlite.pragma('temp_store = FILE'); // sorting must not use memory
    const of = lake;
    return oneReading(of, () => pipelineState(of, settingsAt(of, query.now), query));
  } catch (error) {
    lake?.close();
    lake = undefined; // reopened next time
    throw error;
  }
};

answerRequests(read);
