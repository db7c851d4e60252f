import { HOUR_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import type { Job } from '../plan/job.ts';
import { cronOfJob } from '../plan/month-plan.ts';
import { Run } from './run.ts';
import type { RunDeps } from './run-deps.ts';
import { RunLog } from './run-log.ts';
import type { RunSummary } from './run-summary.ts';

/** The jobs that names stand for, in the order a run plans them. */
export const jobsNamed = (names: readonly string[] | undefined, jobs: readonly Job[]): Job[] => {
  if (names === undefined) return [...jobs];
  const unknown = names.find((name) => !jobs.some((job) => job.name === name));
  if (unknown !== undefined || names.length === 0)
    throw new UsageError(
      `There is no job "${unknown ?? ''}". Expected any of ${jobs.map((job) => job.name).join(', ')}, separated by commas.`,
    );
  return jobs.filter((job) => names.includes(job.name));
};

/** An unfinished run younger than this is the run asked for; an older one is only tidied up first. */
const SAME_RUN_MS = 6 * HOUR_MS;

/**
 * Takes up an unfinished run first, then makes the one asked for. A run cut off within the last six
 * hours that covers the jobs asked for counts as it, so that nothing is asked twice.
 * @returns the summaries in order; the last one is of the run asked for, unless an earlier one paused
 */
export const sync = async (
  given: RunDeps,
  allJobs: readonly Job[],
  onRun: (runId: number | undefined, jobs: readonly string[]) => void = () => {},
): Promise<RunSummary[]> => {
  for (const job of allJobs) cronOfJob(job, given.config); // a schedule that is none is refused before the first call
  const deps = { ...given, allJobs };
  const unfinished = new RunLog(deps.lake).unfinished();
  const wanted = deps.jobs.map((job) => job.name);
  const summaries: RunSummary[] = [];
  if (unfinished !== undefined) {
    onRun(unfinished.id, unfinished.jobs);
    const jobs = allJobs.filter((job) => unfinished.jobs.includes(job.name));
    const summary = await new Run({ ...deps, jobs }, unfinished).execute();
    summaries.push(summary);
    const covers = wanted.every((name) => unfinished.jobs.includes(name));
    const recent = deps.clock.now() - unfinished.startedAt < SAME_RUN_MS;
    const ended = summary.outcome === 'complete' || summary.outcome === 'partial';
    if (!ended || (covers && recent)) return summaries;
  }
  if (wanted.length === 0) return summaries; // only what was unfinished was asked for
  onRun(undefined, wanted);
  summaries.push(await new Run(deps).execute());
  return summaries;
};
