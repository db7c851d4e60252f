import { prepare } from '../../lake/prepare.ts';
import { CALL_OUTCOMES } from './call-tally.ts';
import { type LakeMetric, type Sample, type Scraped, seconds } from './lake-metric.ts';

// newest capture of each list, by skipping from list to list in the index
const NEWEST_CAPTURES = `
  with recursive first(key) as (
    select (select key from capture order by list, platform, period, captured_at limit 1)
    union all
    select coalesce(
      (select n.key from capture n
        where n.list = c.list and n.platform = c.platform and n.period > c.period
        order by n.period, n.captured_at limit 1),
      (select n.key from capture n where n.list = c.list and n.platform > c.platform
        order by n.platform, n.period, n.captured_at limit 1),
      (select n.key from capture n where n.list > c.list
        order by n.list, n.platform, n.period, n.captured_at limit 1))
    from first join capture c on c.key = first.key
  )
  select c.list as source, iif(c.platform = '', 'all', c.platform) as platform, max((
    select max(n.captured_at) from capture n
    where n.list = c.list and n.platform = c.platform and n.period = c.period)) as at
  from first join capture c on c.key = first.key where c.list <> 'import' group by 1, 2`;

const sourceLags = ({ lake, now, calls }: Scraped): Sample[] => {
  const lists = prepare(lake.sqlite, NEWEST_CAPTURES, {
    source: 'text',
    platform: 'text',
    at: 'number',
  }).all();
  const others = calls.flatMap(({ job, outcome, lastAt }) =>
    outcome === 'ok' && lastAt !== null && !lists.some(({ source }) => source === job)
      ? [{ source: job, platform: 'all', at: lastAt }]
      : [],
  );
  return [...lists, ...others].map(({ source, platform, at }) => [
    seconds(Math.max(0, now - at)),
    { source, platform },
  ]);
};

export const CALL_METRICS: readonly LakeMetric[] = [
  {
    name: 'trendlake_calls_total',
    type: 'counter',
    help: 'Finished calls by source (job) and outcome: ok, limited (429, 503), refused (other status), unreadable (200), no_answer, unreachable (nothing was sent or spent).',
    labels: ['source', 'outcome'],
    read: ({ calls }) =>
      [...new Set(calls.map(({ job }) => job))].flatMap((job) =>
        CALL_OUTCOMES.map((outcome): Sample => {
          const same = calls.find((row) => row.job === job && row.outcome === outcome);
          return [same?.count ?? 0, { source: job, outcome }];
        }),
      ),
  },
  {
    name: 'trendlake_calls_unsettled',
    type: 'gauge',
    help: 'Calls in flight or of a dead process. They count as spent.',
    labels: [],
    read: ({ unsettled }) => [[unsettled]],
  },
  {
    name: 'trendlake_source_lag_seconds',
    type: 'gauge',
    help: 'Age of the newest response by job and platform. all: the job is not split by platform.',
    labels: ['source', 'platform'],
    read: sourceLags,
  },
];
