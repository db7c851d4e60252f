import { cautious, type Interval, rounded, SMALL_GROUP } from './statistics.ts';

// Words and numbers that every factor shares. A strength comes from the end of an interval nearest to
// "no difference": what could be chance is 0.

/** A strength as it is stated: 0 to 1, three digits. */
export const strengthOf = (value: number): number => rounded(Math.min(1, Math.max(0, value)), 3);

/** What is told of a group too small to lean on; nothing of others. */
export const caution = (size: number): string =>
  size < SMALL_GROUP ? ` Small group (${size}): take it as a hint.` : '';

/** Whether an interval speaks for the video, against it, or neither. */
export const directionOf = (interval: Interval, neutral: number): 'for' | 'against' | 'unclear' => {
  const near = cautious(interval, neutral);
  return near > neutral ? 'for' : near < neutral ? 'against' : 'unclear';
};

/** Strength of a share against one half, from the cautious end of its interval. */
export const strengthOfRank = (rank: Interval): number =>
  strengthOf(2 * Math.abs(cautious(rank, 0.5) - 0.5));

/** Strength of a ratio against one: 2 times is 0.5, ten times 0.9; a half is 0.5 too. */
export const strengthOfRatio = (ratio: Interval): number => {
  const near = cautious(ratio, 1);
  return strengthOf(near >= 1 ? 1 - 1 / near : 1 - near);
};
