import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf, required, type Shape } from '../../lake/prepare.ts';
import { readDrift } from '../../lake/read/drift.ts';
import { lastEvents } from '../../lake/read/subject-name.ts';
import { COUNTED_TABLES, rowsOf } from '../../lake/read/volumes.ts';
import { lastFailures } from './failures.ts';
import { runsPage } from './runs.ts';

const SHOWN = COUNTED_TABLES.filter((table) => table !== 'video_hashtags' && table !== 'calls');

/** State of a lake. Instants are Unix ms. */
export const lakeStatus = (lake: Lake) => {
  const { sqlite } = lake;
  const all = <const S extends Shape>(sql: string, shape: S): RowOf<S>[] =>
    prepare(sqlite, sql, shape).all();
  return {
    runs: runsPage(lake, { asOf: Number.MAX_SAFE_INTEGER, limit: 5, page: 1 }).items,
    /** Newest successful call of each job. */
    freshness: all(
      `
      select job, max(finished_at) as lastAnswerAt from calls where status = 200 and error is null
      group by job order by job`,
      { job: 'text', lastAnswerAt: 'number' },
    ),
    volumes: SHOWN.map((table) => ({ table, rows: rowsOf(lake, table) })),
    drift: readDrift(sqlite, 20),
    rejected: all(
      `
      select reason, count(*) as items, max(seen_at) as lastSeenAt from rejected_items
      group by reason order by items desc, reason limit 10`,
      { reason: 'text', items: 'number', lastSeenAt: 'number' },
    ),
    failures: lastFailures(lake, 5),
    events: lastEvents(lake),
    /** Webhook endpoints that get no events any more. */
    disabledEndpoints: all(
      `
      select id, url, disabled_at as disabledAt, disabled_reason as reason from subscriptions
      where disabled_at is not null order by disabled_at desc`,
      { id: 'text', url: 'text', disabledAt: 'number', reason: 'text?' },
    ),
    /** Partitions changed since the last export. */
    unexported: required(
      prepare(sqlite, 'select count(*) from touched_partitions', 'number').get(),
    ),
  };
};

export type LakeStatus = ReturnType<typeof lakeStatus>;
