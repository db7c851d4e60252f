import { prepare } from '../../lake/prepare.ts';
import { type CountedKey, keyName } from '../../upstream/throttle/counted-key.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import { type LakeMetric, type Sample, type Scraped, seconds } from './lake-metric.ts';

const PAUSE_LEFT = 'select min(until_at - @now, until_at - set_at) from pause where key = @key';

/** No label if there is only one key. */
const labelOf = (key: CountedKey | undefined): Record<string, string> =>
  key === undefined ? {} : { key: key.name };

/** A figure of each known month. */
const ofMonths =
  (figure: (month: MonthState) => number) =>
  ({ months }: Scraped): Sample[] =>
    months.flatMap(({ key, month }) => (month === null ? [] : [[figure(month), labelOf(key)]]));

export const QUOTA_METRICS: readonly LakeMetric[] = [
  {
    name: 'trendlake_quota_limit_calls',
    type: 'gauge',
    help: 'Calls per month of the upstream key.',
    labels: ['key'],
    read: ofMonths(({ limit }) => limit),
  },
  {
    name: 'trendlake_quota_spent_calls',
    type: 'gauge',
    help: 'Calls spent this month.',
    labels: ['key'],
    read: ofMonths(({ spent }) => spent),
  },
  {
    name: 'trendlake_quota_remaining_calls',
    type: 'gauge',
    help: 'Calls left this month, by the ledger or the service, whichever is less.',
    labels: ['key'],
    read: ofMonths(({ remaining }) => remaining),
  },
  {
    name: 'trendlake_quota_window_start_timestamp_seconds',
    type: 'gauge',
    help: 'Start of this month of the key, Unix time.',
    labels: ['key'],
    read: ofMonths(({ startsAt }) => seconds(startsAt)),
  },
  {
    name: 'trendlake_quota_reset_timestamp_seconds',
    type: 'gauge',
    help: 'When calls are available again, Unix time.',
    labels: ['key'],
    read: ofMonths(({ endsAt }) => seconds(endsAt)),
  },
  {
    name: 'trendlake_pause_seconds',
    type: 'gauge',
    help: 'Remaining seconds of a wait that the service asked for.',
    labels: ['key'],
    read: ({ lake, now, countsItself, months }) => {
      if (!countsItself) return []; // it is in the shared ledger
      const left = prepare(lake.sqlite, PAUSE_LEFT, 'number');
      return months.map(({ key }) => {
        const leftMs = left.get({ now, key: keyName(key) }) ?? 0;
        return [seconds(Math.max(0, leftMs)), labelOf(key)];
      });
    },
  },
];
