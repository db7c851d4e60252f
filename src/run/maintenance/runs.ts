import type { ItemState } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf, required } from '../../lake/prepare.ts';

/** One run, as people read it. Instants are Unix ms. */
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

/** Which runs are meant: those that had begun by `asOf` (Unix ms), newest first. */
export interface RunsQuery {
  readonly asOf: number;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
}

/** Requests of one job in a run, by what became of them. */
export interface JobItems extends Record<ItemState, number> {
  readonly job: string;
}

/** One request of a run. */
export interface RunItem {
  readonly job: string;
  readonly request: string;
  readonly state: ItemState;
  readonly attempts: number;
  readonly error: string | null;
  /** Why it was chosen, as the job that planned it wrote it; null: it is always asked. */
  readonly reason: Readonly<Record<string, unknown>> | null;
  /** HTTP status of its last call; null: none came back. */
  readonly status: number | null;
  /** What its calls took altogether, ms; null: none came back. */
  readonly tookMs: number | null;
  readonly rowsChanged: number | null;
}

/** A run and a page of its requests, in the order they were planned. */
export interface OpenedRun {
  readonly run: RunLine;
  readonly byJob: readonly JobItems[];
  readonly total: number;
  readonly items: readonly RunItem[];
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

/** As it stood at an instant: what came after had not happened. */
const RUN = `
  select r.id, r.started_at as startedAt, r.jobs,
    iif(r.finished_at > @asOf, 'running', r.outcome) as outcome,
    iif(r.finished_at > @asOf, null, r.finished_at) as finishedAt,
    iif(r.finished_at > @asOf, null, r.resumes_at) as resumesAt,
    iif(r.finished_at > @asOf, null, r.summary ->> 'reason') as reason,
    (select coalesce(sum(c.sent), 0) from calls c where c.run_id = r.id and c.sent_at <= @asOf) as calls
  from runs r where r.started_at <= @asOf`;

const lineOf = (row: RowOf<typeof RUN_SHAPE>): RunLine => ({
  ...row,
  jobs: JSON.parse(row.jobs) as string[],
});

/** Runs, newest first, and how many there are. */
export const runsPage = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  { asOf, limit, page }: RunsQuery,
): { total: number; items: RunLine[] } => {
  const total = required(
    prepare(sqlite, 'select count(*) from runs where started_at <= ?', 'number').get(asOf),
  );
  const offset = (Math.min(page, total + 1) - 1) * limit;
  const sql = `${RUN} order by r.id desc limit @limit offset @offset`;
  const rows = prepare(sqlite, sql, RUN_SHAPE).all({ asOf, limit, offset });
  return { total, items: rows.map(lineOf) };
};

const BY_JOB = `
  select job, sum(state = 'planned') as planned, sum(state = 'done') as done,
    sum(state = 'failed') as failed, sum(state = 'skipped') as skipped
  from run_items where run_id = ? group by job order by min(position)`;

/** What became of the requests of a run, job by job in the order they were planned. */
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

/** One run with a page of its requests; undefined where there was none of that id by `asOf`. */
export const openedRun = (
  lake: Pick<Lake, 'sqlite'>,
  runId: number,
  { asOf, limit, page }: RunsQuery,
): OpenedRun | undefined => {
  const { sqlite } = lake;
  const row = prepare(sqlite, `${RUN} and r.id = @runId`, RUN_SHAPE).get({ asOf, runId });
  if (row === undefined) return undefined;
  const byJob = runItemsByJob(lake, runId);
  const total = byJob.reduce(
    (sum, { planned, done, failed, skipped }) => sum + planned + done + failed + skipped,
    0,
  );
  const offset = (Math.min(page, total + 1) - 1) * limit;
  const items = prepare<Omit<RunItem, 'reason'> & { reason: string | null }>(sqlite, ITEMS, {
    job: 'text',
    request: 'text',
    state: 'text',
    attempts: 'number',
    error: 'text?',
    reason: 'text?',
    status: 'number?',
    tookMs: 'number?',
    rowsChanged: 'number?',
  }).all({ runId, limit, offset });
  return {
    run: lineOf(row),
    byJob,
    total,
    items: items.map((item) => ({
      ...item,
      reason: item.reason === null ? null : (JSON.parse(item.reason) as Record<string, unknown>),
    })),
  };
};
