import type { RunKey } from '../../run/run/key-lane.ts';
import { type ApiClient, HttpApiClient } from '../../upstream/client.ts';
import { keysOf } from '../../upstream/throttle/key-limits.ts';
import type { Upstream } from './upstream.ts';

/** Clients of the service, one per key. */
export interface UpstreamAccess {
  readonly client: ApiClient;
  readonly keys: readonly RunKey[];
  close(): Promise<void>;
}

export const openAccess = ({ config }: Pick<Upstream, 'config'>): UpstreamAccess => {
  const addresses = config.keys.length === 0 ? [config] : config.keys;
  const keys = keysOf(config).map((key, index): RunKey => {
    const { baseUrl } = addresses[index] ?? config;
    const apiKey = key.apiKey ?? config.apiKey;
    const { timeoutMs, upstream, proxy } = config;
    return { ...key, client: new HttpApiClient({ baseUrl, apiKey, timeoutMs, upstream, proxy }) };
  });
  const [first] = keys;
  if (first === undefined) throw new TypeError('a service has one key at least');
  const close = async (): Promise<void> => {
    await Promise.all(keys.map(({ client }) => client.close()));
  };
  return { client: first.client, keys, close };
};
