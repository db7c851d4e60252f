import type { Platform } from '../../../schema/vocabulary.ts';
import { platformOfId } from '../../base/wire/fields.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';
import type { OwnKey } from '../../upstream/throttle/key-limits.ts';

type ServingKey = Pick<OwnKey, 'platforms' | 'ratePerMinute'>;

/** Platform of a request; undefined: all platforms. */
export const platformOf = (request: UpstreamRequest): Platform | undefined =>
  request.kind === 'analyze'
    ? platformOfId(request.id)
    : 'platform' in request
      ? request.platform
      : undefined;

/**
 * Keys for a request about a platform: those that serve it. A request about all platforms needs a
 * key that serves all of them, or else uses the first key.
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

/** Part (0 to 1) of a platform's requests that a key makes. Keys share them by their rate. */
export const shareOf = <K extends ServingKey>(
  platform: Platform | undefined,
  key: K,
  keys: readonly K[],
): number => {
  const serving = keysFor(platform, keys);
  if (!serving.includes(key)) return 0;
  return key.ratePerMinute / serving.reduce((sum, { ratePerMinute }) => sum + ratePerMinute, 0);
};
