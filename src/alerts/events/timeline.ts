import type { Source } from '../../../schema/vocabulary.ts';

/** One snapshot of a video's count. */
export interface Snapshot {
  readonly at: number; // Unix ms
  readonly views: number | null;
  readonly source?: Source;
}

/** A snapshot whose count can be believed. */
export interface KnownSnapshot extends Snapshot {
  readonly views: number;
}

/** True for a known count: sources return 0 for hidden or unreadable counts. */
export const isKnown = (snapshot: Snapshot): snapshot is KnownSnapshot =>
  snapshot.views !== null && snapshot.views > 0;

/**
 * Known snapshots, at most one for each stretch of `everyMs`: the first one, so that later
 * snapshots never change the past.
 * @param snapshots oldest first
 */
export const knownSnapshots = (
  snapshots: readonly Snapshot[],
  everyMs: number,
): KnownSnapshot[] => {
  const known: KnownSnapshot[] = [];
  let stretch = Number.NaN;
  for (const snapshot of snapshots) {
    if (!isKnown(snapshot)) continue;
    const period = Math.floor(snapshot.at / everyMs);
    if (period === stretch) continue;
    stretch = period;
    known.push(snapshot);
  }
  return known;
};

/** The middle value; of an even number the lower of the two middle ones. Undefined when empty. */
export const median = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
