import { cautious, type Interval, rounded, SMALL_GROUP } from './statistics.ts';

// A strength uses the end of the interval nearest to "no difference", so possible chance counts as 0.

/** 0 to 1, three digits. */
export const strengthOf = (value: number): number => rounded(Math.min(1, Math.max(0, value)), 3);

/** Empty for a group that is large enough. */
export const caution = (size: number): string =>
  size < SMALL_GROUP ? ` The group is small (${size}), so this is only a hint.` : '';

export const directionOf = (interval: Interval, neutral: number): 'for' | 'against' | 'unclear' => {
  const near = cautious(interval, neutral);
  return near > neutral ? 'for' : near < neutral ? 'against' : 'unclear';
};

/** Strength of a share compared with one half. */
export const strengthOfRank = (rank: Interval): number =>
  strengthOf(2 * Math.abs(cautious(rank, 0.5) - 0.5));

/** Strength of a ratio: 2 and 1/2 give 0.5, 10 gives 0.9. */
export const strengthOfRatio = (ratio: Interval): number => {
  const near = cautious(ratio, 1);
  return strengthOf(near >= 1 ? 1 - 1 / near : 1 - near);
};
