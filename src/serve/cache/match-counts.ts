import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import type { CountMatches } from '../../lake/search/search.ts';
import { ALWAYS, isStillTrue, type LakeCache, type Validity } from './lake-cache.ts';

interface Count extends Validity {
  readonly matches: number;
}

/**
 * Counts of search matches, from memory while they are still true: counting a word that a million
 * videos hold takes 40 ms, and the next pages of a query need it again. `lake` must be open for
 * reading: a connection that writes is not told of its own writes.
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
