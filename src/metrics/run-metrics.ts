import { type LakeMetric, type Sample, seconds, zeroFilled } from './lake-metric.ts';

const ENDED = ['complete', 'partial', 'failed'];
const UNFINISHED = ['running', 'paused'];

/** Metrics of runs. */
export const RUN_METRICS: readonly LakeMetric[] = [
  {
    name: 'trendlake_runs_total',
    type: 'counter',
    help: 'Runs that ended, by outcome: complete, partial, failed.',
    labels: ['outcome'],
    read: ({ tallies }) =>
      zeroFilled(
        'outcome',
        ENDED,
        tallies.runs.flatMap(({ outcome, runs }) =>
          ENDED.includes(outcome) ? [[outcome, runs] as const] : [],
        ),
      ),
  },
  {
    name: 'trendlake_runs_unfinished',
    type: 'gauge',
    help: 'Runs that are running, or paused until calls are free again.',
    labels: ['outcome'],
    read: ({ tallies }) =>
      zeroFilled(
        'outcome',
        UNFINISHED,
        tallies.runs.flatMap(({ outcome, runs }) =>
          UNFINISHED.includes(outcome) ? [[outcome, runs] as const] : [],
        ),
      ),
  },
  {
    name: 'trendlake_run_last_end_timestamp_seconds',
    type: 'gauge',
    help: 'When the newest run of each outcome ended, Unix time.',
    labels: ['outcome'],
    read: ({ tallies }) =>
      tallies.runs.flatMap(({ outcome, lastAt }): Sample[] =>
        lastAt === null ? [] : [[seconds(lastAt), { outcome }]],
      ),
  },
];
