import type { ItemState } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf, required } from '../../lake/prepare.ts';

/** Selects runs that started by `asOf` (Unix ms), newest first. */
export interface RunsQuery {
  readonly asOf: number;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
}

/** Requests of one job in a run, counted by state. */
export interface JobItems extends Record<ItemState, number> {
  readonly job: string;
}

export interface RunItem {
  readonly job: string;
  readonly request: string;
  readonly state: ItemState;
  readonly attempts: number;
  readonly error: string | null;
  /** Reason for choosing it, written by its job; null: it is always made. */
  readonly reason: Readonly<Record<string, unknown>> | null;
  /** HTTP status of its last call; null: no response. */
  readonly status: number | null;
  /** Duration of its calls, ms; null: no response. */
  readonly tookMs: number | null;
  readonly rowsChanged: number | null;
}

const RUN_SHAPE = {
  id: 'number',
  startedAt: 'number',
  jobs: 'text',
  outcome: 'text',
  finishedAt: 'number?',
  resumesAt: 'number?',
  reason: 'text?',
  calls: 'number',
} as const;

// as known at @asOf
const RUN = `
  select r.id, r.started_at as startedAt, r.jobs,
    iif(r.finished_at > @asOf, 'running', r.outcome) as outcome,
    iif(r.finished_at > @asOf, null, r.finished_at) as finishedAt,
    iif(r.finished_at > @asOf, null, r.resumes_at) as resumesAt,
    iif(r.finished_at > @asOf, null, r.summary ->> 'reason') as reason,
    (select coalesce(sum(c.sent), 0) from calls c where c.run_id = r.id and c.sent_at <= @asOf) as calls
  from runs r where r.started_at <= @asOf`;

const lineOf = (row: RowOf<typeof RUN_SHAPE>) => ({
  ...row,
  jobs: JSON.parse(row.jobs) as string[],
});
/** Instants are Unix ms. */
export type RunLine = ReturnType<typeof lineOf>;

/** Rows before a page, at most all. */
const offsetOf = ({ limit, page }: RunsQuery, total: number): number =>
  (Math.min(page, total + 1) - 1) * limit;

/** A page of runs, newest first, and their total. */
export const runsPage = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  query: RunsQuery,
): { total: number; items: RunLine[] } => {
  const { asOf, limit } = query;
  const count = 'select count(*) from runs where started_at <= ?';
  const total = required(prepare(sqlite, count, 'number').get(asOf));
  const sql = `${RUN} order by r.id desc limit @limit offset @offset`;
  const rows = prepare(sqlite, sql, RUN_SHAPE).all({ asOf, limit, offset: offsetOf(query, total) });
  return { total, items: rows.map(lineOf) };
};

const BY_JOB = `
  select job, sum(state = 'planned') as planned, sum(state = 'done') as done,
    sum(state = 'failed') as failed, sum(state = 'skipped') as skipped
  from run_items where run_id = ? group by job order by min(position)`;

/** Counts the requests of a run by job and state, in planned order. */
export const runItemsByJob = ({ sqlite }: Pick<Lake, 'sqlite'>, runId: number): JobItems[] =>
  prepare(sqlite, BY_JOB, {
    job: 'text',
    planned: 'number',
    done: 'number',
    failed: 'number',
    skipped: 'number',
  }).all(runId);

const ITEMS = `
  with page as (
    select job, request, state, attempts, error, reason, position from run_items
    where run_id = @runId order by position limit @limit offset @offset
  )
  select p.job, p.request, p.state, p.attempts, p.error, p.reason,
    (select c.status from calls c where c.run_id = @runId and c.job = p.job and c.request = p.request
      order by c.id desc limit 1) as status,
    (select sum(c.finished_at - c.sent_at) from calls c
      where c.run_id = @runId and c.job = p.job and c.request = p.request) as tookMs,
    (select sum(c.rows_changed) from calls c
      where c.run_id = @runId and c.job = p.job and c.request = p.request) as rowsChanged
  from page p order by p.position`;

/** One run with a page of its requests, in planned order; undefined if it had not started by `asOf`. */
export const openedRun = (lake: Pick<Lake, 'sqlite'>, runId: number, query: RunsQuery) => {
  const { sqlite } = lake;
  const run = prepare(sqlite, `${RUN} and r.id = @runId`, RUN_SHAPE);
  const row = run.get({ asOf: query.asOf, runId });
  if (row === undefined) return undefined;
  const byJob = runItemsByJob(lake, runId);
  const total = byJob.reduce(
    (sum, { planned, done, failed, skipped }) => sum + planned + done + failed + skipped,
    0,
  );
  const items: RunItem[] = prepare<Omit<RunItem, 'reason'> & { reason: string | null }>(
    sqlite,
    ITEMS,
    {
      job: 'text',
      request: 'text',
      state: 'text',
      attempts: 'number',
      error: 'text?',
      reason: 'text?',
      status: 'number?',
      tookMs: 'number?',
      rowsChanged: 'number?',
    },
  )
    .all({ runId, limit: query.limit, offset: offsetOf(query, total) })
    .map((item) => ({ ...item, reason: JSON.parse(item.reason ?? 'null') as RunItem['reason'] }));
  return { run: lineOf(row), byJob, total, items };
};

export type OpenedRun = NonNullable<ReturnType<typeof openedRun>>;
