import { joinExtra } from '../writers/join-extra.ts';

/** A subject that may appear more than once on a page. */
interface Mention {
  extra: Record<string, unknown> | null;
}

/** Fields that are merged instead of overwritten. */
type Joined<T> = (earlier: T, later: T) => Partial<T>;

const overlaid = <T extends Mention>(earlier: T, later: T, joined: Joined<T>): T => {
  const stated = Object.entries(later).filter(([, value]) => value !== null);
  const extra = joinExtra(earlier.extra, later.extra);
  return {
    ...earlier,
    ...Object.fromEntries(stated),
    ...joined(earlier, later),
    extra: Object.keys(extra).length === 0 ? null : extra,
  };
};

/**
 * Merges the mentions of each subject, so that two counts of one instant do not replace each other when the
 * page is loaded again. Known fields of a later mention win, except those that `joined` merges.
 */
export const statedOnce = <T extends Mention, K>(
  all: readonly T[],
  keyOf: (item: T) => K,
  joined: Joined<T> = () => ({}),
): Map<K, T> => {
  const byKey = new Map<K, T>();
  for (const item of all) {
    const key = keyOf(item);
    const earlier = byKey.get(key);
    byKey.set(key, earlier === undefined ? item : overlaid(earlier, item, joined));
  }
  return byKey;
};
