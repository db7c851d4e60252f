import type { ItemState } from '../../../schema/vocabulary.ts';
import { commandText } from '../../base/installation.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

/** A call that did not bring what was asked. */
export interface FailedCall {
  callId: number;
  /** Unix ms; when it came back or was given up. */
  at: number;
  /** HTTP status; null when no response came. */
  status: number | null;
  /** What came back, in words. */
  error: string;
}

/** A request that calls failed for. */
export interface FailedRequest {
  /** Null: asked by hand. */
  runId: number | null;
  job: string;
  /** What was asked: method, path and query. */
  request: string;
  /** What became of it in its run; null where it belongs to none. */
  state: ItemState | null;
  /** Oldest first. */
  calls: FailedCall[];
  /** What to do about it, in words. */
  advice: string;
}

type Row = Omit<FailedRequest, 'calls' | 'advice'> &
  FailedCall & { unfinished: number | null; key: string | null };

const MOST_CALLS = 200; // of them: a service that was away may have failed thousands
const NEWEST_CALLS = 100_000; // looked at: where few fail, a year of calls takes long to search

const LAST_FAILED = `
  select c.id as callId, c.run_id as runId, c.key, c.job, c.request, c.status, c.error,
    coalesce(c.finished_at, c.sent_at) as at, i.state,
    r.outcome in ('running', 'paused') as unfinished
  from calls c left join runs r on r.id = c.run_id
    left join run_items i on i.run_id = c.run_id and i.job = c.job and i.request = c.request
  where c.error is not null and c.id > (select max(id) from calls) - ${NEWEST_CALLS}
  order by c.id desc limit ${MOST_CALLS}`;

const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  401: `Set TRENDLAKE_API_KEY to a key the service knows, then: ${commandText('sync')}`,
  402: 'The quota or the balance of the key is spent: top it up, or wait. The next run asks again.',
  403: 'The key is not for this: ask for one that is, or leave the job out (TRENDLAKE_SCHEDULES).',
  404: `Is TRENDLAKE_BASE_URL the whole address, ending in /v1? ${commandText('doctor')}`,
  429: 'Nothing: the pace was lowered as the service asked.',
  503: 'Nothing: trendlake waited as the service asked.',
};

/** What to do about a request, by what became of it and how its last call came back. */
const adviceOf = ({ state, status, runId, unfinished, key }: Row): string => {
  if (state === 'done') return 'Nothing: it was asked again, and loaded.';
  if (state === 'skipped' && (status === 404 || status === 410 || status === 451))
    return 'Nothing: the service does not have it any more.';
  if (status === 401 && key !== null)
    return `Set the variable that holds key ${key} to a key the service knows, then: ${commandText('sync')}`;
  const known = status === null ? undefined : ADVICE_BY_STATUS[status];
  if (known !== undefined) return known;
  if (state === 'planned' && unfinished === 1)
    return `Nothing: the next sync takes run ${runId} up and asks again.`;
  if (status === null)
    return `Is the service reachable from here? \`${commandText('doctor')}\` tries it. The next run asks again.`;
  if (status === 200)
    return `The next run asks again. Its body is kept: a trendlake that can read it loads it with \`${commandText('replay')}\`, without a call.`;
  if (status >= 300 && status < 400) return 'Set TRENDLAKE_BASE_URL to where the service is now.';
  return 'The next run asks again. If it stays so, show the service this time, request and answer.';
};

/** The last `most` requests that calls failed for, newest first, with those calls. */
export const lastFailures = ({ sqlite }: Pick<Lake, 'sqlite'>, most: number): FailedRequest[] => {
  const rows = prepare<Row>(sqlite, LAST_FAILED, {
    callId: 'number',
    runId: 'number?',
    key: 'text?',
    job: 'text',
    request: 'text',
    status: 'number?',
    error: 'text',
    at: 'number',
    state: 'text?',
    unfinished: 'number?',
  }).all();
  const groups = Map.groupBy(rows, ({ runId, job, request }) => `${runId} ${job} ${request}`);
  return [...groups.values()].slice(0, most).flatMap((calls) => {
    const last = calls[0];
    if (last === undefined) return [];
    const { runId, job, request, state } = last;
    const told = calls.map(({ callId, at, status, error }) => ({ callId, at, status, error }));
    return { runId, job, request, state, calls: told.reverse(), advice: adviceOf(last) };
  });
};
