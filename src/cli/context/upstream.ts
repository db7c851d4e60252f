import type { Config } from '../../base/config/config.ts';
import type { UpstreamKey } from '../../base/config/upstream-keys.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { Secret } from '../../base/secret.ts';
import type { Origin } from '../../lake/origin.ts';
import type { CliIo } from './io.ts';

/** The service a command asks: where, with what key, and how to leave it. */
export interface Upstream {
  origin: Origin;
  config: Config & { baseUrl: string; apiKey: Secret };
  close(): Promise<void>;
}

/** @throws UsageError naming the variables of keys that are not set */
const withSecrets = (config: Config, [first, ...more]: readonly UpstreamKey[]): Upstream => {
  const keys = first === undefined ? [] : [first, ...more];
  const unset = keys.filter(({ apiKey }) => apiKey === undefined);
  if (first?.apiKey === undefined || unset.length > 0)
    throw new UsageError(
      `${unset.map(({ name, keyEnv }) => `${keyEnv}, which holds key ${name},`).join(' and ')} is not set. Set it to the key; or take the key out of the configuration.`,
    );
  const { baseUrl, apiKey } = first;
  return { origin: 'upstream', config: { ...config, baseUrl, apiKey }, close: async () => {} };
};

/** Calls of the lists, read as deep as usual, with some more for retries. */
const LIST_CALLS = 30;
const MOST_REFRESHES = 130;
const LEAST_REFRESHES = 13;

/**
 * Most refreshes of a run that somebody waits for, unless they set their own: with the lists they fit
 * into one minute of the key's pace, so that it is over in seconds. The daemon has no such ceiling,
 * it spends what the budget allows.
 */
export const refreshesWhileWaiting = (
  config: Pick<Config, 'growthCalls' | 'creatorCalls' | 'ratePerMinute'>,
): { growthCalls: number; creatorCalls: number } => {
  const refreshes = Math.max(
    LEAST_REFRESHES,
    Math.min(MOST_REFRESHES, config.ratePerMinute - LIST_CALLS),
  );
  const creators = Math.round((refreshes * 3) / 13);
  return {
    growthCalls: config.growthCalls ?? refreshes - creators,
    creatorCalls: config.creatorCalls ?? creators,
  };
};

/**
 * Creators of each platform of the world that is made up for a command: fewer than `sandbox` has, as
 * whoever tries it waits for them, and enough for lists twice as deep as a run reads.
 */
const WORLD_CREATORS = 400;

/**
 * The service that the configuration names, or without a base URL the built-in sandbox, started
 * in this process and told so on stderr.
 * @throws UsageError when there is an address but no key
 */
export const connect = async (config: Config, io: CliIo): Promise<Upstream> => {
  const { baseUrl, apiKey, keys } = config;
  if (keys.length > 0) return withSecrets(config, keys);
  if (baseUrl !== undefined) {
    if (apiKey === undefined)
      throw new UsageError(
        `TRENDLAKE_BASE_URL is set (${baseUrl}) but TRENDLAKE_API_KEY is not. Set it to your key; or unset both to try the built-in sandbox.`,
      );
    return { origin: 'upstream', config: { ...config, baseUrl, apiKey }, close: async () => {} };
  }
  io.note(
    `No TRENDLAKE_BASE_URL: asking the built-in sandbox, a made-up world. \`${commandText('sync --help')}\` tells how to use a key.`,
  );
  const { SANDBOX_LIMITS, startSandbox } = await import('../../sandbox/sandbox.ts');
  const sandbox = await startSandbox({
    clock: io.clock,
    creators: io.sandboxCreators ?? WORLD_CREATORS,
    signal: io.signal,
    isSearched: false,
  });
  return {
    origin: 'sandbox',
    config: {
      ...config,
      ...refreshesWhileWaiting({ ...config, ...SANDBOX_LIMITS }),
      baseUrl: sandbox.url,
      apiKey: new Secret(sandbox.key),
      upstream: {},
      proxy: undefined,
      ...SANDBOX_LIMITS,
    },
    close: () => sandbox.close(),
  };
};
