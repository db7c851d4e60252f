import type { Source } from '../../../schema/vocabulary.ts';

/** One snapshot of a video's count. */
export interface Snapshot {
  readonly at: number; // Unix ms
  readonly views: number | null;
  readonly source?: Source;
}

/** A snapshot with a known count. */
export interface KnownSnapshot extends Snapshot {
  readonly views: number;
}

/** True for a known count: sources return 0 for hidden or unreadable counts. */
export const isKnown = (snapshot: Snapshot): snapshot is KnownSnapshot =>
  snapshot.views !== null && snapshot.views > 0;

/** The first item of each stretch of `everyMs`, so that later ones never change the past. */
export const firstOfEach = <T extends { readonly at: number }>(
  items: readonly T[],
  everyMs: number,
): T[] => {
  const seen = new Set<number>();
  return items.filter(({ at }) => {
    const stretch = Math.floor(at / everyMs);
    const isFirst = !seen.has(stretch);
    seen.add(stretch);
    return isFirst;
  });
};

/** The middle value; of an even number the lower of the two middle ones. Undefined when empty. */
export const median = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
