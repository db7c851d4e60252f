import type { Platform } from '../../../schema/vocabulary.ts';
import { platformOfId } from '../../base/wire/fields.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';
import type { OwnKey } from '../../upstream/throttle/key-limits.ts';

/** A key as far as what is asked with it goes. */
type ServingKey = Pick<OwnKey, 'platforms' | 'ratePerMinute'>;

/** The platform a request is about; undefined: it covers all of them. */
export const platformOf = (request: UpstreamRequest): Platform | undefined =>
  request.kind === 'analyze'
    ? platformOfId(request.id)
    : 'platform' in request
      ? request.platform
      : undefined;

/**
 * The keys that a request about a platform may be made with: those that have it among theirs. One
 * about no single platform is made with a key that has all of them; where none does, with the first.
 */
export const keysFor = <K extends ServingKey>(
  platform: Platform | undefined,
  keys: readonly K[],
): readonly K[] => {
  if (platform !== undefined) {
    const serving = keys.filter(({ platforms }) => platforms.includes(platform));
    if (serving.length > 0) return serving;
  }
  const all = new Set(keys.flatMap(({ platforms }) => platforms));
  const whole = keys.filter(({ platforms }) => platforms.length === all.size);
  return whole.length > 0 ? whole : keys.slice(0, 1);
};

/** The part of the requests about a platform that a key makes, 0 to 1: keys share them by their pace. */
export const shareOf = <K extends ServingKey>(
  platform: Platform | undefined,
  key: K,
  keys: readonly K[],
): number => {
  const serving = keysFor(platform, keys);
  if (!serving.includes(key)) return 0;
  return key.ratePerMinute / serving.reduce((sum, { ratePerMinute }) => sum + ratePerMinute, 0);
};
