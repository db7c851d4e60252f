import { adoptWords } from '../../ingest/responses/adopt-words.ts';
import { loadResponse } from '../../ingest/responses/load-response.ts';
import { rowsChanged } from '../../ingest/writers/tally.ts';
import { syncLake } from '../../lake/durability.ts';
import { type DecodedResponse, decodeResponse } from '../../upstream/decode/decode.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';
import { keysFor, platformOf } from '../plan/key-plan.ts';
import { isOfKey } from './lanes.ts';
import { openThrottle } from './open-throttle.ts';
import { type RunDeps, type RunKey, runKeys } from './run-deps.ts';

type RequestDeps = Pick<
  RunDeps,
  'lake' | 'config' | 'client' | 'keys' | 'clock' | 'random' | 'signal' | 'ledgers'
>;

/**
 * Makes one request outside of a run. It is paced, counted and loaded like any other, and paid from
 * the reserve. If a key cannot make it, the next one is tried.
 * @throws QuotaSpentError, ServiceDownError or CallError of the first key
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
  throw stop ?? new TypeError('no key is configured');
};

const requestWith = async (
  { client, ...limits }: RunKey,
  deps: RequestDeps,
  job: string,
  request: UpstreamRequest,
): Promise<DecodedResponse> => {
  const { lake, signal, config } = deps;
  const { throttle, ledger } = openThrottle({ ...deps, limits, client });
  const { upstream } = config;
  const { read, settle, ...answered } = await throttle.request(
    request,
    (response) => decodeResponse(request, response, upstream),
    { runId: null, job, signal },
  );
  adoptWords(lake, upstream);
  const call = { runId: null, request, decoded: read, ...answered, isLastPage: true, upstream };
  loadResponse(lake, call, (counts) => settle(rowsChanged(counts), counts.videos.inserted));
  await ledger.drain?.();
  syncLake(lake);
  return read;
};
