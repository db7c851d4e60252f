import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { syncLake } from '../../lake/durability.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf } from '../../lake/prepare.ts';
import { refreshSearchInTurns } from '../../lake/search/search-index.ts';
import { type DecodedResponse, decodeResponse } from '../../upstream/decode/decode.ts';
import { requestInOurWords } from '../../upstream/dialect.ts';
import { CallError } from '../../upstream/errors.ts';
import { type ListRequest, requestOfLine, type UpstreamRequest } from '../../upstream/request.ts';
import { addRows, type LoadCounts, noRows } from '../writers/tally.ts';
import { adoptWords, noteReplayed } from './adopt-words.ts';
import { keepUnknownShape, loadResponse } from './load-response.ts';

/** A stored response that cannot be read. */
export interface UnreadableBody {
  callId: number;
  request: string;
  problem: string;
}

/** Result of a replay. `unreadable` has the first hundred. */
export interface ReplaySummary {
  /** Partial if a response that was readable before is not readable now. */
  outcome: 'complete' | 'partial';
  answers: number;
  /** Responses that were unreadable when they arrived, and are readable now. */
  newlyRead: number;
  rows: LoadCounts;
  rejected: number;
  unreadableCount: number;
  unreadable: UnreadableBody[];
}

export interface ReplayOptions {
  /** Unix ms; earlier responses are skipped. */
  since?: number;
  /** Words and units of the upstream. */
  upstream?: UpstreamSettings;
  signal?: AbortSignal;
  onProgress?: (done: number, of: number) => void;
}

const STORED = {
  callId: 'number',
  runId: 'number?',
  line: 'text',
  request: 'text?', // JSON; null outside of any run
  wentOn: 'number', // 1 if the run requested a later page of the list
  failed: 'number', // 0 or 1
  contentType: 'text?',
  observedAt: 'number',
  body: 'blob',
} as const;
type StoredResponse = RowOf<typeof STORED>;

const PROBLEMS_KEPT = 100;
const RESPONSES_A_TURN = 20;

// Bodies are read one at a time: an open statement would block the loading transaction.
const KEPT = `
  select r.call_id as callId, c.run_id as runId, c.request as line, c.error is not null as failed,
    r.content_type as contentType, r.observed_at as observedAt, r.body, i.request_json as request,
    exists (select 1 from run_items n where n.run_id = i.run_id and n.job = i.job
      and n.request_json ->> 'kind' is i.request_json ->> 'kind' and n.request_json ->> 'platform' is i.request_json ->> 'platform'
      and n.request_json ->> 'period' is i.request_json ->> 'period' and n.request_json ->> 'dateRange' is i.request_json ->> 'dateRange'
      and n.request_json ->> 'offset' > i.request_json ->> 'offset') as wentOn
  from responses r join calls c on c.id = r.call_id
  left join run_items i on i.run_id = c.run_id and i.job = c.job and i.request = c.request
  where r.call_id = ?`;

/** True if a page ended its list. After a page that was unreadable on arrival, no other was requested. */
const isLastPage = (
  { wentOn, failed }: StoredResponse,
  request: UpstreamRequest,
  decoded: DecodedResponse,
): boolean =>
  wentOn === 0 &&
  !(failed === 1 && 'page' in request && 'total' in decoded && hasMore(request, decoded));

const hasMore = (
  { offset }: ListRequest,
  { total, length }: { total: number | null; length: number },
): boolean => total !== null && offset + length < total;

/** Undefined if damaged. */
const unpacked = (body: Buffer): Buffer | undefined => {
  try {
    return gunzipSync(body);
  } catch {
    return undefined;
  }
};

const readAgain = (
  kept: StoredResponse,
  upstream: UpstreamSettings,
):
  | { request: UpstreamRequest; decoded: DecodedResponse }
  | { problem: string; error?: CallError } => {
  const stored =
    kept.request === null
      ? requestOfLine(kept.line)
      : (JSON.parse(kept.request) as UpstreamRequest);
  const request = stored && requestInOurWords(stored, upstream);
  if (request === undefined) return { problem: 'its request has an unknown kind' };
  const headers = kept.contentType === null ? {} : { 'content-type': kept.contentType };
  const body = unpacked(kept.body);
  if (body === undefined) return { problem: 'its stored body is damaged' };
  try {
    const response = { status: 200, headers, body };
    return { request, decoded: decodeResponse(request, response, upstream) };
  } catch (error) {
    if (error instanceof CallError) return { problem: error.message, error };
    throw error;
  }
};

/**
 * Rebuilds rows from the stored responses of `source`, oldest first, with the current decoder. Sends no
 * calls. The target may be the same lake, whose imported rows and rows of removed responses stay.
 * Repeating it changes nothing.
 */
export const replayResponses = async (
  source: Lake,
  target: Lake,
  { since = 0, upstream = {}, signal, onProgress }: ReplayOptions = {},
): Promise<ReplaySummary> => {
  const summary: ReplaySummary = {
    outcome: 'complete',
    answers: 0,
    newlyRead: 0,
    rows: noRows(),
    rejected: 0,
    unreadableCount: 0,
    unreadable: [],
  };
  adoptWords(target, upstream);
  const calls = prepare(
    source.sqlite,
    'select call_id from responses where observed_at >= ? order by observed_at, call_id',
    'number',
  ).all(since);
  const find = prepare(source.sqlite, KEPT, STORED);
  for (const [index, callId] of calls.entries()) {
    if (index % RESPONSES_A_TURN === 0) await setImmediate(); // signals arrive between turns
    signal?.throwIfAborted();
    const kept = find.get(callId);
    if (kept !== undefined) replayOne(kept, target, upstream, summary); // else removed meanwhile
    onProgress?.(index + 1, calls.length);
  }
  if (since === 0) noteReplayed(target, upstream);
  await refreshSearchInTurns(target, signal);
  syncLake(target);
  return summary;
};

const replayOne = (
  kept: StoredResponse,
  target: Lake,
  upstream: UpstreamSettings,
  summary: ReplaySummary,
): void => {
  const { callId, runId, line, observedAt } = kept;
  const read = readAgain(kept, upstream);
  if ('problem' in read) {
    keepUnknownShape(target, callId, read.error, observedAt);
    summary.unreadableCount += 1;
    if (kept.failed === 0) summary.outcome = 'partial';
    if (summary.unreadable.length < PROBLEMS_KEPT)
      summary.unreadable.push({ callId, request: line, problem: read.problem });
    return;
  }
  const { request, decoded } = read;
  const replayed = {
    runId,
    callId,
    request,
    decoded,
    observedAt,
    isLastPage: isLastPage(kept, request, decoded),
    upstream,
  };
  const counts = loadResponse(target, replayed, undefined, 'later');
  addRows(summary.rows, counts);
  summary.answers += 1;
  summary.newlyRead += kept.failed;
  summary.rejected += decoded.rejected.length;
};
