import type { Config } from '../../base/config/config.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { Secret } from '../../base/secret.ts';
import type { Origin } from '../../lake/origin.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { CliIo } from './io.ts';

/** The service that a command calls. */
export interface Upstream {
  origin: Origin;
  config: Config & { baseUrl: string; apiKey: Secret };
  close(): Promise<void>;
}

/** @throws UsageError naming the unset variables of keys */
const withSecrets = (config: Config): Upstream => {
  const [first] = config.keys;
  const unset = config.keys.filter(({ apiKey }) => apiKey === undefined);
  if (first?.apiKey === undefined || unset.length > 0)
    throw new UsageError(
      `${unset.map(({ name, keyEnv }) => `${keyEnv}, which holds key ${name},`).join(' and ')} is not set. Set it to the key, or remove the key from the configuration.`,
    );
  const { baseUrl, apiKey } = first;
  return { origin: 'upstream', config: { ...config, baseUrl, apiKey }, close: async () => {} };
};

/** Calls for the lists at their usual depth, with some room for retries. */
const LIST_CALLS = 30;
const MOST_REFRESHES = 130;
const LEAST_REFRESHES = 13;

/**
 * Refreshes of a run that somebody waits for, unless configured. With the lists they fit into one
 * minute of the key's pace. The daemon has no such limit.
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

/** Settings for calls to a sandbox: it speaks our words and needs no proxy. */
export const sandboxConfig = (
  config: Config,
  sandbox: Pick<Sandbox, 'url' | 'key' | 'ratePerMinute' | 'callsPerMonth'>,
): Upstream['config'] => {
  const { url: baseUrl, key, ratePerMinute, callsPerMonth } = sandbox;
  const limits = { ratePerMinute, callsPerMonth };
  const refreshes = refreshesWhileWaiting({ ...config, ratePerMinute });
  const plain = { upstream: {}, proxy: undefined, keys: [] };
  return { ...config, ...refreshes, ...limits, ...plain, baseUrl, apiKey: new Secret(key) };
};

/**
 * Creators per platform in the sandbox that a command starts: fewer than `sandbox` has, because
 * somebody waits, and enough for lists twice as deep as a run reads.
 */
const WORLD_CREATORS = 400;

/**
 * Connects to the configured service, or starts the built-in sandbox in this process.
 * @throws UsageError if there is an address but no key
 */
export const connect = async (config: Config, io: CliIo): Promise<Upstream> => {
  const { baseUrl, apiKey, keys } = config;
  if (keys.length > 0) return withSecrets(config);
  if (baseUrl !== undefined) {
    if (apiKey === undefined)
      throw new UsageError(
        `TRENDLAKE_BASE_URL is set (${baseUrl}) but TRENDLAKE_API_KEY is not. Set it to your key, or unset both to try the built-in sandbox.`,
      );
    return { origin: 'upstream', config: { ...config, baseUrl, apiKey }, close: async () => {} };
  }
  io.note(
    `TRENDLAKE_BASE_URL is not set: using the built-in sandbox, a made-up world. \`${commandText('sync --help')}\` shows how to use a key.`,
  );
  const { startSandbox } = await import('../../sandbox/sandbox.ts');
  const sandbox = await startSandbox({
    clock: io.clock,
    creators: io.sandboxCreators ?? WORLD_CREATORS,
    signal: io.signal,
    isSearched: false,
  });
  return {
    origin: 'sandbox',
    config: sandboxConfig(config, sandbox),
    close: () => sandbox.close(),
  };
};
