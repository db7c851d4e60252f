import { ITEM_STATES, type ItemState, type RunOutcome } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { statement } from '../../lake/statements.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';
import { requestLine } from '../../upstream/request.ts';
import type { CallCounts } from '../../upstream/throttle/throttle.ts';
import type { PlannedItem } from '../plan/job.ts';

/** A request of a run that is still to be made. */
export interface OpenItem {
  job: string;
  request: UpstreamRequest;
  /** Value of `run_items.request`. */
  line: string;
}

export interface UnfinishedRun {
  id: number;
  jobs: string[];
  startedAt: number;
}

/** Drift seen for the first time; `sample` is JSON, cut at 1 KiB. */
export interface NewDrift {
  resource: string;
  field: string;
  sample: string;
  request: string;
}

/** Reason for giving a request up, and the number of attempts to add. */
interface GivenUp {
  state: 'failed' | 'skipped';
  error: string;
  attempts: number;
}

/** As JSON. The last position of a run is the maximum over its states, each found in the index. */
const STATES = JSON.stringify(ITEM_STATES);

export class RunLog {
  readonly #lake: Lake;

  constructor(lake: Lake) {
    this.#lake = lake;
  }

  /** Newest running or paused run. */
  unfinished(): UnfinishedRun | undefined {
    const row = prepare(
      this.#lake.sqlite,
      "select id, jobs, started_at as startedAt from runs where outcome in ('running', 'paused') order by id desc limit 1",
      { id: 'number', jobs: 'text', startedAt: 'number' },
    ).get();
    return row === undefined ? undefined : { ...row, jobs: JSON.parse(row.jobs) as string[] };
  }

  begin(jobs: readonly string[], now: number): number {
    // not `returning`: reading one row commits in the statement's reset, which hides disk errors,
    // so later rows could belong to a run that does not exist
    const { lastInsertRowid } = this.#lake.sqlite
      .prepare(
        "insert into runs (started_at, outcome, heartbeat_at, jobs) values (?, 'running', ?, ?)",
      )
      .run(now, now, JSON.stringify(jobs));
    return Number(lastInsertRowid);
  }

  resume(runId: number, now: number): void {
    this.#lake.sqlite
      .prepare(
        "update runs set outcome = 'running', heartbeat_at = ?, finished_at = null, resumes_at = null where id = ?",
      )
      .run(now, runId);
  }

  heartbeat(runId: number, now: number): void {
    this.#lake.sqlite.prepare('update runs set heartbeat_at = ? where id = ?').run(now, runId);
  }

  /** True if the job has planned its requests. */
  isPlanned(runId: number, job: string): boolean {
    return (
      this.#lake.sqlite
        .prepare('select 1 from run_items where run_id = ? and job = ? limit 1')
        .get(runId, job) !== undefined
    );
  }

  /** Adds requests to a run. Existing ones stay unchanged. */
  plan(runId: number, job: string, items: readonly PlannedItem[]): void {
    const insert = statement(
      this.#lake,
      `insert into run_items (run_id, job, request, request_json, position, state, attempts, reason)
      values (@runId, @job, @request, @requestJson,
        (select coalesce(max(last), 0) + 1 from (
          select (select max(position) from run_items where run_id = +@runId and state = s.value) as last
          from json_each(@states) s)),
        'planned', 0, @reason)
      on conflict (run_id, job, request) do nothing`,
    );
    this.#lake.sqlite
      .transaction(() => {
        for (const { request, reason } of items)
          insert.run({
            runId,
            job,
            states: STATES,
            request: requestLine(request),
            requestJson: JSON.stringify(request),
            reason: reason === undefined ? null : JSON.stringify(reason),
          });
      })
      .immediate();
  }

  /** Open requests of some jobs, in planned order. */
  open(runId: number, jobs: readonly string[]): OpenItem[] {
    const rows = prepare(
      this.#lake.sqlite,
      "select job, request as line, request_json as request from run_items where run_id = ? and state = 'planned' order by position",
      { job: 'text', line: 'text', request: 'text' },
    ).all(runId);
    return rows
      .filter(({ job }) => jobs.includes(job))
      .map(({ job, line, request }) => ({
        job,
        line,
        request: JSON.parse(request) as UpstreamRequest,
      }));
  }

  states(runId: number): Record<ItemState, number> {
    const rows = prepare<{ state: ItemState; items: number }>(
      this.#lake.sqlite,
      'select state, count(*) as items from run_items where run_id = ? group by state',
      { state: 'text', items: 'number' },
    ).all(runId);
    const counts = { planned: 0, done: 0, failed: 0, skipped: 0 };
    for (const { state, items } of rows) counts[state] = items;
    return counts;
  }

  /** Call it inside the transaction that loads the response. */
  done(runId: number, { job, line }: Pick<OpenItem, 'job' | 'line'>, attempts: number): void {
    statement(
      this.#lake,
      `update run_items set state = 'done', attempts = attempts + ?, error = null
       where run_id = ? and job = ? and request = ?`,
    ).run(attempts, runId, job, line);
  }

  giveUp(runId: number, { job, line }: OpenItem, { state, error, attempts }: GivenUp): void {
    this.#lake.sqlite
      .prepare(
        'update run_items set state = ?, attempts = attempts + ?, error = ? where run_id = ? and job = ? and request = ?',
      )
      .run(state, attempts, error, runId, job, line);
  }

  /** First failed request with its error; null: none failed. */
  firstFailure(runId: number): string | null {
    const row = prepare(
      this.#lake.sqlite,
      "select request, error from run_items where run_id = ? and state = 'failed' order by position limit 1",
      { request: 'text', error: 'text?' },
    ).get(runId);
    return row === undefined ? null : `${row.request}: ${row.error ?? 'failed'}`;
  }

  /** Ends or pauses a run. */
  finish(
    runId: number,
    end: { outcome: RunOutcome; at: number; resumesAt: number | null; summary: object },
  ): void {
    this.#lake.sqlite
      .prepare(
        'update runs set outcome = ?, finished_at = ?, heartbeat_at = ?, resumes_at = ?, summary = ? where id = ?',
      )
      .run(end.outcome, end.at, end.at, end.resumesAt, JSON.stringify(end.summary), runId);
  }

  /** Calls of a run by job. */
  calls(runId: number): (CallCounts & { job: string })[] {
    return prepare(
      this.#lake.sqlite,
      `select job, sum(sent) as sent, sum(ok) as ok, sum(sent) - sum(ok) as failed
       from (select *, coalesce(status in (200, 202) and error is null, 0) as ok
         from calls where run_id = ?)
       group by job order by job`,
      { job: 'text', sent: 'number', ok: 'number', failed: 'number' },
    ).all(runId);
  }

  /** Number of items that could not be loaded. */
  rejected(runId: number): number {
    return required(
      prepare(
        this.#lake.sqlite,
        'select count(*) from rejected_items r join calls c on c.id = r.call_id where c.run_id = ?',
        'number',
      ).get(runId),
    );
  }

  /** Drift seen for the first time in a run. */
  drift(runId: number): NewDrift[] {
    return prepare<NewDrift>(
      this.#lake.sqlite,
      `select d.resource, d.field, d.sample, c.request from drift d join calls c on c.id = d.call_id
         where c.run_id = ? order by d.call_id, d.resource, d.field`,
      { resource: 'text', field: 'text', sample: 'text', request: 'text' },
    ).all(runId);
  }
}

/** Moves runs that began or ended after an instant (Unix ms) to `now`. Returns their number. */
export const moveRunsAfter = ({ sqlite }: Lake, after: number, now: number): number =>
  sqlite
    .prepare(
      `update runs set started_at = min(started_at, @now), finished_at = min(finished_at, @now),
         heartbeat_at = min(heartbeat_at, @now)
       where started_at > @after or finished_at > @after or heartbeat_at > @after`,
    )
    .run({ after, now }).changes;
