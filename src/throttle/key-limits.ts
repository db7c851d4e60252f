import type { Platform } from '../../schema/vocabulary.ts';
import type { Config } from '../config.ts';
import type { KeyLimits } from './ledger.ts';

/** What a key allows, and what is asked with it. */
export interface OwnKey extends KeyLimits {
  readonly platforms: readonly Platform[];
}

/** The settings that tell the keys. */
export type KeysConfig = Pick<
  Config,
  'keys' | 'ratePerMinute' | 'callsPerMonth' | 'quotaReset' | 'timeoutMs' | 'apiKey' | 'platforms'
>;

/** Every key by the settings, in their order: one at least. */
export const keysOf = (config: KeysConfig): readonly OwnKey[] => {
  const { keys, ratePerMinute, callsPerMonth, quotaReset, timeoutMs, apiKey, platforms } = config;
  if (keys.length === 0)
    return [{ ratePerMinute, callsPerMonth, quotaReset, timeoutMs, apiKey, platforms }];
  const names = keys.map(({ name }) => name);
  return keys.map((key, index) => ({
    ratePerMinute: key.ratePerMinute,
    callsPerMonth: key.callsPerMonth,
    quotaReset: key.quotaReset,
    timeoutMs,
    apiKey: key.apiKey,
    platforms: key.platforms.filter((platform) => platforms.includes(platform)),
    key: {
      name: key.name,
      isFirst: index === 0,
      others: names.filter((name) => name !== key.name),
      allPerMinute: ratePerMinute,
    },
  }));
};
