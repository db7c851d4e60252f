import type { Config } from '../../base/config/config.ts';
import { Opened } from '../../base/opened.ts';
import type { Lake } from '../../lake/open.ts';
import { type Origin, openLakeFor } from '../../lake/origin.ts';
import type { RunKey } from '../../run/run/run-deps.ts';
import { type ApiClient, HttpApiClient } from '../../upstream/client.ts';
import { keysOf } from '../../upstream/throttle/key-limits.ts';
import type { CliIo } from './io.ts';
import { type OpenLedgers, openLedgers } from './ledgers.ts';
import { connect, type Upstream } from './upstream.ts';

/** The service, its ledger and the lake that it fills. */
export interface Session
  extends AsyncDisposable,
    Pick<CliIo, 'clock' | 'random' | 'env' | 'signal'> {
  readonly ledgers: OpenLedgers;
  readonly origin: Origin;
  /** Settings with the address and key in use. */
  readonly config: Upstream['config'];
  readonly lake: Lake;
  /** Client of the first key. */
  readonly client: ApiClient;
  readonly keys: readonly RunKey[];
}

const openKeys = (config: Upstream['config']): RunKey[] => {
  const addresses = config.keys.length === 0 ? [config] : config.keys;
  return keysOf(config).map((key, index) => {
    const { baseUrl } = addresses[index] ?? config;
    const apiKey = key.apiKey ?? config.apiKey;
    const { timeoutMs, upstream, proxy } = config;
    return { ...key, client: new HttpApiClient({ baseUrl, apiKey, timeoutMs, upstream, proxy }) };
  });
};

/**
 * Opens ledger, service, lake and clients. Disposing closes them in reverse order.
 * @param waits true: an unreachable ledger pauses calls instead of failing
 */
export const openSession = async (
  given: Config,
  io: CliIo,
  { waits = false, report = io.err }: { waits?: boolean; report?(sentence: string): void } = {},
): Promise<Session> => {
  const { clock, random, env, signal } = io;
  const opened = new Opened();
  try {
    const ledgers = opened.add(await openLedgers(given, clock, { waits, stopping: signal }));
    const { config, origin } = opened.add(await connect(given, io));
    const lake = opened.add(openLakeFor(config.dataDir, origin, { now: clock.now(), report }));
    const keys = openKeys(config);
    for (const { client } of keys) opened.add(client);
    const [first] = keys;
    if (first === undefined) throw new TypeError('a service has one key at least');
    const world = { origin, config, lake, client: first.client, keys, ledgers };
    const close = (): Promise<void> => opened.close();
    return { ...world, clock, random, env, signal, [Symbol.asyncDispose]: close };
  } catch (error) {
    await opened.close();
    throw error;
  }
};
