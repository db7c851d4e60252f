import { prepare } from '../lake/prepare.ts';
import { type LakeMetric, seconds } from './lake-metric.ts';

const PAUSE_LEFT = 'select min(until_at - @now, until_at - set_at) from pause';

/** Metrics of what the month allows, and of waits that the service asked for. */
export const QUOTA_METRICS: readonly LakeMetric[] = [
  {
    name: 'trendlake_quota_limit_calls',
    type: 'gauge',
    help: 'Calls that the month of the upstream key allows.',
    labels: [],
    read: ({ month }) => (month === null ? [] : [[month.limit]]),
  },
  {
    name: 'trendlake_quota_spent_calls',
    type: 'gauge',
    help: 'Calls spent in this month of the upstream key.',
    labels: [],
    read: ({ month }) => (month === null ? [] : [[month.spent]]),
  },
  {
    name: 'trendlake_quota_remaining_calls',
    type: 'gauge',
    help: 'Calls left of this month, by the ledger and, where that is less, by the service.',
    labels: [],
    read: ({ month }) => (month === null ? [] : [[month.remaining]]),
  },
  {
    name: 'trendlake_quota_window_start_timestamp_seconds',
    type: 'gauge',
    help: 'When this month of the upstream key began, Unix time.',
    labels: [],
    read: ({ month }) => (month === null ? [] : [[seconds(month.startsAt)]]),
  },
  {
    name: 'trendlake_quota_reset_timestamp_seconds',
    type: 'gauge',
    help: 'When calls are free again, Unix time.',
    labels: [],
    read: ({ month }) => (month === null ? [] : [[seconds(month.endsAt)]]),
  },
  {
    name: 'trendlake_pause_seconds',
    type: 'gauge',
    help: 'How long nobody may call yet because the service asked to wait; 0: nobody waits.',
    labels: [],
    read: ({ lake, now, countsItself }) => {
      if (!countsItself) return []; // it stands in the shared ledger
      const leftMs = prepare(lake.sqlite, PAUSE_LEFT, 'number').get({ now });
      return [[seconds(Math.max(0, leftMs ?? 0))]];
    },
  },
];
