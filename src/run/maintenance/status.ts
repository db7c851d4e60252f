import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf, required, type Shape } from '../../lake/prepare.ts';
import { readDrift, type SeenDrift } from '../../lake/read/drift.ts';
import { type BriefEvent, lastEvents } from '../../lake/read/subject-name.ts';
import { COUNTED_TABLES, rowsOf } from '../../lake/read/volumes.ts';
import { type FailedRequest, lastFailures } from './failures.ts';
import { type RunLine, runsPage } from './runs.ts';

export interface LakeStatus {
  runs: RunLine[];
  /** Newest successful call of each job, Unix ms. */
  freshness: { job: string; lastAnswerAt: number }[];
  volumes: { table: string; rows: number }[];
  drift: SeenDrift[];
  rejected: { reason: string; items: number; lastSeenAt: number }[];
  failures: FailedRequest[];
  events: BriefEvent[];
  /** Webhook endpoints that get no events any more. */
  disabledEndpoints: { id: string; url: string; disabledAt: number; reason: string | null }[];
  /** Partitions changed since the last export. */
  unexported: number;
}

const SHOWN = COUNTED_TABLES.filter((table) => table !== 'video_hashtags' && table !== 'calls');

export const lakeStatus = (lake: Lake): LakeStatus => {
  const { sqlite } = lake;
  const all = <const S extends Shape>(sql: string, shape: S): RowOf<S>[] =>
    prepare(sqlite, sql, shape).all();
  return {
    runs: runsPage(lake, { asOf: Number.MAX_SAFE_INTEGER, limit: 5, page: 1 }).items,
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
    disabledEndpoints: all(
      `
      select id, url, disabled_at as disabledAt, disabled_reason as reason from subscriptions
      where disabled_at is not null order by disabled_at desc`,
      { id: 'text', url: 'text', disabledAt: 'number', reason: 'text?' },
    ),
    unexported: required(
      prepare(sqlite, 'select count(*) from touched_partitions', 'number').get(),
    ),
  };
};
