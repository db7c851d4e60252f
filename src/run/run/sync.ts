import { HOUR_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import type { Job } from '../plan/job.ts';
import { cronOfJob } from '../plan/month-plan.ts';
import { Run } from './run.ts';
import type { RunDeps } from './run-deps.ts';
import { RunLog } from './run-log.ts';
import type { RunSummary } from './run-summary.ts';

/** Jobs by name, in the order of planning. */
export const jobsNamed = (names: readonly string[] | undefined, jobs: readonly Job[]): Job[] => {
  if (names === undefined) return [...jobs];
  const unknown = names.find((name) => !jobs.some((job) => job.name === name));
  if (unknown !== undefined || names.length === 0)
    throw new UsageError(
      `Unknown job "${unknown ?? ''}". Use any of ${jobs.map((job) => job.name).join(', ')}, separated by commas.`,
    );
  return jobs.filter((job) => names.includes(job.name));
};

/** A younger unfinished run can count as the requested one. */
const SAME_RUN_MS = 6 * HOUR_MS;

/**
 * Resumes an unfinished run first, then makes the requested one. An unfinished run of the last six
 * hours that includes the requested jobs counts as the requested one, so that no call is made
 * twice.
 * @returns the summaries in order; the last one is of the requested run, unless an earlier one
 * paused
 */
export const sync = async (
  given: RunDeps,
  allJobs: readonly Job[],
  onRun: (runId: number | undefined, jobs: readonly string[]) => void = () => {},
): Promise<RunSummary[]> => {
  for (const job of allJobs) cronOfJob(job, given.config); // refuses invalid schedules before the first call
  const deps = { ...given, allJobs };
  const unfinished = new RunLog(deps.lake).unfinished();
  const wanted = deps.jobs.map((job) => job.name);
  const summaries: RunSummary[] = [];
  if (unfinished !== undefined) {
    onRun(unfinished.id, unfinished.jobs);
    const jobs = allJobs.filter((job) => unfinished.jobs.includes(job.name));
    const summary = await new Run({ ...deps, jobs }, unfinished).execute();
    summaries.push(summary);
    const hasAllJobs = wanted.every((name) => unfinished.jobs.includes(name));
    const isRecent = deps.clock.now() - unfinished.startedAt < SAME_RUN_MS;
    const hasEnded = summary.outcome === 'complete' || summary.outcome === 'partial';
    if (!hasEnded || (hasAllJobs && isRecent)) return summaries;
  }
  if (wanted.length === 0) return summaries; // only the unfinished run was requested
  onRun(undefined, wanted);
  summaries.push(await new Run(deps).execute());
  return summaries;
};
