import { rowsOf } from '../history/volumes.ts';
import type { Lake } from '../lake/open.ts';
import { prepare, present, type RowOf, type Shape } from '../lake/prepare.ts';
import { type FailedRequest, lastFailures } from './failures.ts';

/** One run, as `status` shows it. Instants are Unix ms. */
export interface RunLine {
  id: number;
  outcome: string;
  startedAt: number;
  finishedAt: number | null;
  resumesAt: number | null;
  jobs: string[];
  calls: number;
  reason: string | null;
}

/** The state of a lake in numbers. */
export interface LakeStatus {
  runs: RunLine[];
  /** When each source was last asked with success, Unix ms. */
  freshness: { job: string; lastAnswerAt: number }[];
  volumes: { table: string; rows: number }[];
  /** Drift, each once; `sample` is the JSON of the first. */
  drift: { resource: string; field: string; firstSeenAt: number; sample: string }[];
  rejected: { reason: string; items: number; lastSeenAt: number }[];
  /** Requests that calls failed for last. */
  failures: FailedRequest[];
  /** What was noticed last. */
  events: { id: string; kind: string; subject: string; occurredAt: number; origin: string }[];
  /** Endpoints that events no longer go to, and why. */
  disabledEndpoints: { id: string; url: string; disabledAt: number; reason: string | null }[];
  /** Partitions that changed since the last export. */
  unexported: number;
}

const COUNTED = [
  'videos',
  'video_snapshots',
  'rankings',
  'hashtags',
  'hashtag_snapshots',
  'creators',
  'creator_snapshots',
  'events',
] as const;

/** Reads the state of a lake; nothing is written. */
export const lakeStatus = (lake: Lake): LakeStatus => {
  const { sqlite } = lake;
  const all = <const S extends Shape>(sql: string, shape: S): RowOf<S>[] =>
    prepare(sqlite, sql, shape).all();
  const runs = all(
    `
    select r.id, r.outcome, r.started_at as startedAt, r.finished_at as finishedAt,
      r.resumes_at as resumesAt, r.jobs, r.summary ->> 'reason' as reason,
      (select coalesce(sum(c.sent), 0) from calls c where c.run_id = r.id) as calls
    from runs r order by r.id desc limit 5`,
    {
      id: 'number',
      outcome: 'text',
      startedAt: 'number',
      finishedAt: 'number?',
      resumesAt: 'number?',
      jobs: 'text',
      reason: 'text?',
      calls: 'number',
    },
  );
  return {
    runs: runs.map((run) => ({ ...run, jobs: JSON.parse(run.jobs) as string[] })),
    freshness: all(
      `
      select job, max(finished_at) as lastAnswerAt from calls where status = 200 and error is null
      group by job order by job`,
      { job: 'text', lastAnswerAt: 'number' },
    ),
    volumes: COUNTED.map((table) => ({ table, rows: rowsOf(lake, table) })),
    drift: all(
      'select resource, field, first_seen_at as firstSeenAt, sample from drift order by first_seen_at desc limit 20',
      { resource: 'text', field: 'text', firstSeenAt: 'number', sample: 'text' },
    ),
    rejected: all(
      `
      select reason, count(*) as items, max(seen_at) as lastSeenAt from rejected_items
      group by reason order by items desc limit 10`,
      { reason: 'text', items: 'number', lastSeenAt: 'number' },
    ),
    failures: lastFailures(lake, 5),
    events: all(
      `
      select id, kind, subject, occurred_at as occurredAt, origin from events
      order by occurred_at desc, id limit 5`,
      { id: 'text', kind: 'text', subject: 'text', occurredAt: 'number', origin: 'text' },
    ),
    disabledEndpoints: all(
      `
      select id, url, disabled_at as disabledAt, disabled_reason as reason from subscriptions
      where disabled_at is not null order by disabled_at desc`,
      { id: 'text', url: 'text', disabledAt: 'number', reason: 'text?' },
    ),
    unexported: present(prepare(sqlite, 'select count(*) from touched_partitions', 'number').get()),
  };
};
