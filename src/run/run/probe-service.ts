import type { Config } from '../../base/config/config.ts';
import type { RawResponse } from '../../upstream/client.ts';
import { type ProbeResult, probe } from '../../upstream/probe/probe.ts';
import { OutOfCallsError } from '../../upstream/probe/probe-state.ts';
import { QuotaSpentError } from '../../upstream/throttle/errors.ts';
import { storeProbe } from './last-probe.ts';
import { openThrottle } from './open-throttle.ts';
import { type RunDeps, runKeys } from './run-deps.ts';

type ProbeDeps = Pick<
  RunDeps,
  'lake' | 'client' | 'keys' | 'clock' | 'random' | 'signal' | 'ledgers' | 'onWait' | 'log'
> & { readonly config: Config & { readonly baseUrl: string }; readonly maxCalls: number };

/** Statuses about the key, the pace or the service, not about the request. */
const NO_ANSWER = [401, 402, 407, 408, 425, 429, 502, 503, 504];

const isAnswer = ({ status }: RawResponse, { upstream }: Config): boolean =>
  status >= 200 &&
  (status < 300 || status >= 400) &&
  ![...NO_ANSWER, ...(upstream.spentStatuses ?? [])].includes(status);

/** The result of a probe, and the calls it took. */
export interface ServiceProbe extends ProbeResult {
  readonly calls: number;
}

/**
 * Probes the configured service with its first key. Every call is paced and counted like any other.
 * The lake keeps the result, so that a sync can refuse what cannot be read.
 * @throws QuotaSpentError, ServiceDownError or CallError as the throttle's `request`
 */
export const probeService = async (deps: ProbeDeps): Promise<ServiceProbe> => {
  const { lake, config, signal, clock } = deps;
  const [key] = runKeys(deps);
  if (key === undefined) throw new TypeError('a service has one key at least');
  const { client, ...limits } = key;
  const { throttle, ledger } = openThrottle({
    ...deps,
    limits,
    client,
    isAnswer: (response) => isAnswer(response, config),
  });
  const result = await probe(config, async (method, path) => {
    try {
      const { response, settle } = await throttle.request(
        { kind: 'probe', method, path },
        (read) => read,
        { runId: null, job: 'probe', signal },
      );
      ledger.together(() => settle(0));
      return response;
    } catch (error) {
      if (error instanceof QuotaSpentError && error.resumesAt === null) throw new OutOfCallsError();
      throw error;
    }
  });
  await ledger.drain?.();
  const { baseUrl, upstream } = config;
  storeProbe(lake, { ...result, at: clock.now(), baseUrl, asked: upstream });
  return { ...result, calls: throttle.counts.sent };
};
