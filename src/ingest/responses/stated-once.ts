import { joinExtra } from '../writers/join-extra.ts';

/** A subject that may be mentioned more than once on a page. */
interface Stated {
  extra: Record<string, unknown> | null;
}

/** Fields of two mentions in which the later one does not simply stand. */
type Joined<T> = (earlier: T, later: T) => Partial<T>;

const overlaid = <T extends Stated>(earlier: T, later: T, joined: Joined<T>): T => {
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
 * The mentions of each subject, by `keyOf`, as one: the later mention wins field by field, as far
 * as it has a value; `joined` gives the fields that both contribute to. Otherwise two counts of one
 * instant would replace each other each time the page is loaded.
 */
export const statedOnce = <T extends Stated, K>(
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
