import type { Platform } from '../../../schema/vocabulary.ts';
import type { Config } from '../../base/config/config.ts';
import type { UpstreamKey } from '../../base/config/upstream-keys.ts';
import type { CountedKey } from './counted-key.ts';
import type { KeyLimits } from './ledger.ts';

/** Limits and platforms of a key. */
export interface OwnKey extends KeyLimits {
  readonly platforms: readonly Platform[];
}

/** Settings that define the keys. */
export type KeysConfig = Pick<
  Config,
  'keys' | 'ratePerMinute' | 'callsPerMonth' | 'quotaReset' | 'timeoutMs' | 'apiKey' | 'platforms'
>;

/** Identifies each of several keys in a lake. */
export const countedKeys = (keys: readonly Pick<UpstreamKey, 'name'>[]): CountedKey[] =>
  keys.map(({ name }, index) => ({
    name,
    isFirst: index === 0,
    others: keys.map((key) => key.name).filter((other) => other !== name),
  }));

/** Every key by the settings, in their order: one at least. */
export const keysOf = (config: KeysConfig): readonly OwnKey[] => {
  const { keys, ratePerMinute, callsPerMonth, quotaReset, timeoutMs, apiKey, platforms } = config;
  if (keys.length === 0)
    return [{ ratePerMinute, callsPerMonth, quotaReset, timeoutMs, apiKey, platforms }];
  const counted = countedKeys(keys);
  return keys.map((key, index) => ({
    ratePerMinute: key.ratePerMinute,
    callsPerMonth: key.callsPerMonth,
    quotaReset: key.quotaReset,
    timeoutMs,
    apiKey: key.apiKey,
    keyEnv: key.keyEnv,
    platforms: key.platforms.filter((platform) => platforms.includes(platform)),
    key: counted[index],
  }));
};
