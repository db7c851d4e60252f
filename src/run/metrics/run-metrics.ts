import { type LakeMetric, type Sample, type Scraped, seconds, zeroFilled } from './lake-metric.ts';

const countRuns =
  (...outcomes: string[]) =>
  ({ tallies }: Scraped): Sample[] =>
    zeroFilled(
      'outcome',
      outcomes,
      tallies.runs.flatMap(({ outcome, runs }) =>
        outcomes.includes(outcome) ? [[outcome, runs] as const] : [],
      ),
    );

export const RUN_METRICS: readonly LakeMetric[] = [
  {
    name: 'trendlake_runs_total',
    type: 'counter',
    help: 'Finished runs by outcome: complete, partial, failed.',
    labels: ['outcome'],
    read: countRuns('complete', 'partial', 'failed'),
  },
  {
    name: 'trendlake_runs_unfinished',
    type: 'gauge',
    help: 'Running or paused runs.',
    labels: ['outcome'],
    read: countRuns('running', 'paused'),
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
