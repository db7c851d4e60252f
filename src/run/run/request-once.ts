import { adoptWords } from '../../ingest/responses/adopt-words.ts';
import { loadResponse } from '../../ingest/responses/load-response.ts';
import { rowsChanged } from '../../ingest/writers/tally.ts';
import { syncLake } from '../../lake/durability.ts';
import { type DecodedResponse, decodeResponse } from '../../upstream/decode/decode.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';
import { keysFor, platformOf } from '../plan/key-share.ts';
import { isOfKey, type RunKey, runKeys } from './key-lane.ts';
import { openThrottle } from './open-throttle.ts';
import type { RunDeps } from './run-deps.ts';

/** What one request by hand needs of the world. */
type RequestDeps = Pick<
  RunDeps,
  'lake' | 'config' | 'client' | 'keys' | 'clock' | 'random' | 'signal' | 'ledgers'
>;

/**
 * Asks one thing, outside of any run: paced, counted and loaded like every other call, paid from
 * the reserve for people who request by hand. Where a key can do nothing (its month is spent, it is
 * refused), the next that may ask for it is tried.
 * @throws QuotaSpentError, ServiceDownError or CallError as the throttle's `request`: the first key's
 */
export const requestOnce = async (
  deps: RequestDeps,
  job: string,
  request: UpstreamRequest,
): Promise<DecodedResponse> => {
  let stop: Error | undefined;
  for (const key of keysFor(platformOf(request), runKeys(deps))) {
    try {
      return await requestWith(key, deps, job, request);
    } catch (error) {
      if (!(error instanceof Error) || !isOfKey(error) || deps.signal.aborted) throw error;
      stop ??= error;
    }
  }
  throw stop ?? new TypeError('there is no key to ask with');
};

const requestWith = async (
  { client, ...limits }: RunKey,
  deps: RequestDeps,
  job: string,
  request: UpstreamRequest,
): Promise<DecodedResponse> => {
  const { lake, signal, config } = deps;
  const { throttle, ledger } = openThrottle({ ...deps, limits, client });
  const { read, settle, callId, response, receivedAt } = await throttle.request(
    request,
    (response) => decodeResponse(request, response, config.upstream),
    { runId: null, job, signal },
  );
  adoptWords(lake, config.upstream);
  const call = {
    runId: null,
    request,
    callId,
    response,
    decoded: read,
    receivedAt,
    isLastPage: true,
  };
  loadResponse(lake, call, (counts) => settle(rowsChanged(counts), counts.videos.inserted));
  await ledger.drain?.();
  syncLake(lake);
  return read;
};
