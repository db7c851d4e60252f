import { type LakeMetric, type Sample, seconds, zeroFilled } from './lake-metric.ts';

const ENDED = ['complete', 'partial', 'failed'];
const UNFINISHED = ['running', 'paused'];

/** Metrics of runs. */
export const RUN_METRICS: readonly LakeMetric[] = [
  {
    name: 'trendlake_runs_total',
    type: 'counter',
    help: 'Finished runs by outcome: complete, partial, failed.',
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
    help: 'Running or paused runs.',
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
    help: 'End of the newest run by outcome, Unix time.',
    labels: ['outcome'],
    read: ({ tallies }) =>
      tallies.runs.flatMap(({ outcome, lastAt }): Sample[] =>
        lastAt === null ? [] : [[seconds(lastAt), { outcome }]],
      ),
  },
];
