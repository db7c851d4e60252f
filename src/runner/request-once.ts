import { type DecodedResponse, decodeResponse } from '../api/decode.ts';
import type { UpstreamRequest } from '../api/request.ts';
import { syncLake } from '../lake/durability.ts';
import { loadResponse } from '../load/load-response.ts';
import { rowsChanged } from '../load/tally.ts';
import { runKeys } from './key-lane.ts';
import { keysFor, platformOf } from './key-share.ts';
import { openThrottle } from './open-throttle.ts';
import type { RunDeps } from './run-deps.ts';

/** What one request by hand needs of the world. */
type RequestDeps = Pick<
  RunDeps,
  'lake' | 'config' | 'client' | 'keys' | 'clock' | 'random' | 'signal' | 'ledgers'
>;

/**
 * Asks one thing, outside of any run: paced, counted and loaded like every other call, paid from
 * the reserve for people who request by hand.
 * @throws QuotaSpentError, ServiceDownError or CallError as the throttle's `request`
 */
export const requestOnce = async (
  deps: RequestDeps,
  job: string,
  request: UpstreamRequest,
): Promise<DecodedResponse> => {
  const { lake, signal } = deps;
  const [key] = keysFor(platformOf(request), runKeys(deps));
  if (key === undefined) throw new TypeError('there is no key to ask with');
  const { client, ...limits } = key;
  const { throttle, ledger } = openThrottle({ ...deps, limits, client });
  const { read, settle, callId, response, receivedAt } = await throttle.request(
    request,
    (response) => decodeResponse(request, response),
    { runId: null, job, signal },
  );
  const call = {
    runId: null,
    request,
    callId,
    response,
    decoded: read,
    receivedAt,
    isLastPage: true,
  };
  loadResponse(lake, call, (counts) => settle(rowsChanged(counts)));
  await ledger.drain?.();
  syncLake(lake);
  return read;
};
