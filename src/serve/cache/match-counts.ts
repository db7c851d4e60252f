import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import type { CountMatches } from '../../lake/search/search.ts';
import { ALWAYS, isStillTrue, type LakeCache, type Validity } from './lake-cache.ts';

interface Count extends Validity {
  readonly matches: number;
}

/**
 * Caches counts of search matches for the next pages of a query. Counting a word in a million videos
 * takes 40 ms.
 * @param lake opened for reading, as the version of a writing connection misses its own writes
 */
export const cachedCounts = (lake: Lake, cache: LakeCache): CountMatches => {
  const counts = cache.shelf<Count>();
  return (expression, count) => {
    const moment = { version: lakeVersion(lake), at: 0 };
    const held = counts.get(expression);
    if (held !== undefined && isStillTrue(held, moment)) return held.matches;
    const matches = count();
    counts.set(expression, { ...ALWAYS, version: moment.version, matches }, 8);
    return matches;
  };
};
