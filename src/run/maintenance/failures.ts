import type { ItemState } from '../../../schema/vocabulary.ts';
import { commandText } from '../../base/installation.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

/** A call without a usable response. */
export interface FailedCall {
  callId: number;
  /** End of the call, Unix ms. */
  at: number;
  /** HTTP status; null: no response. */
  status: number | null;
  error: string;
}

/** A request with failed calls. */
export interface FailedRequest {
  /** Null: made by hand. */
  runId: number | null;
  job: string;
  /** Method, path and query. */
  request: string;
  /** State in its run; null: made by hand. */
  state: ItemState | null;
  /** Oldest first. */
  calls: FailedCall[];
  advice: string;
}

type Row = Omit<FailedRequest, 'calls' | 'advice'> &
  FailedCall & { unfinished: number | null; key: string | null };

const MOST_CALLS = 200; // an outage may have failed thousands
const NEWEST_CALLS = 100_000; // searched: a year of calls takes long

const LAST_FAILED = `
  select c.id as callId, c.run_id as runId, c.key, c.job, c.request, c.status, c.error,
    coalesce(c.finished_at, c.sent_at) as at, i.state,
    r.outcome in ('running', 'paused') as unfinished
  from calls c left join runs r on r.id = c.run_id
    left join run_items i on i.run_id = c.run_id and i.job = c.job and i.request = c.request
  where c.error is not null and c.id > (select max(id) from calls) - ${NEWEST_CALLS}
  order by c.id desc limit ${MOST_CALLS}`;

const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  401: `Set TRENDLAKE_API_KEY to a valid key, then run \`${commandText('sync')}\`.`,
  402: 'The quota or the balance of the key is spent. Top it up or wait; the next run asks again.',
  403: 'The key is not allowed to make this request. Use another key, or disable the job with TRENDLAKE_SCHEDULES.',
  404: `Check that TRENDLAKE_BASE_URL is complete and ends in /v1, then run \`${commandText('doctor')}\`.`,
  429: 'Nothing to do: trendlake slowed down as the service asked.',
  503: 'Nothing to do: trendlake waited as the service asked.',
};

const adviceOf = ({ state, status, runId, unfinished, key }: Row): string => {
  if (state === 'done') return 'Nothing to do: a retry succeeded.';
  if (state === 'skipped' && (status === 404 || status === 410 || status === 451))
    return 'Nothing to do: it no longer exists at the service.';
  if (status === 401 && key !== null)
    return `Set the variable of key ${key} to a valid key, then run \`${commandText('sync')}\`.`;
  const known = status === null ? undefined : ADVICE_BY_STATUS[status];
  if (known !== undefined) return known;
  if (state === 'planned' && unfinished === 1)
    return `Nothing to do: the next sync resumes run ${runId} and retries.`;
  if (status === null)
    return `The next run retries. To check that the service is reachable, run \`${commandText('doctor')}\`.`;
  if (status === 200)
    return `The next run retries. The response is stored: a newer trendlake may load it with \`${commandText('replay')}\`, without a call.`;
  if (status >= 300 && status < 400)
    return 'The service moved. Set TRENDLAKE_BASE_URL to its new address.';
  return 'The next run retries. If it keeps failing, report the time, request and response to the service.';
};

/** The last `most` requests with failed calls, newest first. */
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
    const failed = calls.map(({ callId, at, status, error }) => ({ callId, at, status, error }));
    return { runId, job, request, state, calls: failed.reverse(), advice: adviceOf(last) };
  });
};
