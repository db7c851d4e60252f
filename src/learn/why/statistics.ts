import { quantile } from '../model/quantiles.ts';

// Intervals that need no randomness and no assumption about the shape of view counts.

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Standard normal quantiles of two-sided intervals. */
export const Z_95 = 1.96;
export const Z_99 = 2.576;

/** Findings from fewer videos carry a caution. */
export const SMALL_GROUP = 30;

export const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** Wilson interval; 0 to 1 without trials. */
export const shareInterval = (successes: number, trials: number, z = Z_95): Interval => {
  if (trials === 0) return { low: 0, high: 1 };
  const p = successes / trials;
  const spread = z * Math.sqrt((p * (1 - p)) / trials + (z * z) / (4 * trials * trials));
  const middle = p + (z * z) / (2 * trials);
  const scale = 1 + (z * z) / trials;
  return {
    low: Math.max(0, (middle - spread) / scale),
    high: Math.min(1, (middle + spread) / scale),
  };
};

/**
 * Share of the videos that count as independent, 0 to 1: videos of one creator are alike, so many by few
 * creators weigh less (Kish's effective size). An unknown creator counts alone.
 */
export const independentShare = (videos: readonly { readonly user: string | null }[]): number => {
  const known = videos.filter(({ user }) => user !== null);
  const sizes = [...Map.groupBy(known, ({ user }) => user).values()].map(({ length }) => length);
  const squares = sizes.reduce((sum, size) => sum + size * size, videos.length - known.length);
  const creators = squares === 0 ? 0 : videos.length ** 2 / squares;
  return creators === 0 ? 0 : (creators - 1) / videos.length; // a single creator proves nothing
};

/**
 * Share of `group` below `value` (equal values count half), with its Wilson interval.
 * @param independent of `independentShare`
 */
export const rankIn = (
  group: readonly number[],
  value: number,
  independent = 1,
): Interval & { readonly share: number } => {
  let below = 0;
  for (const other of group) below += other < value ? 1 : other === value ? 0.5 : 0;
  const interval = shareInterval(independent * below, independent * group.length);
  return { share: below / Math.max(1, group.length), ...interval };
};

/** Median with the order statistics of its 95 % interval. */
export const medianInterval = (
  sorted: readonly number[],
): Interval & { readonly median: number } => {
  const n = sorted.length;
  const reach = (Z_95 * Math.sqrt(n)) / 2;
  const low = sorted[Math.max(0, Math.floor(n / 2 - reach))] ?? Number.NaN;
  const high = sorted[Math.min(n - 1, Math.ceil(n / 2 + reach))] ?? Number.NaN;
  return { median: quantile(sorted, 0.5), low, high };
};

/** Difference of two shares, with Newcombe's interval. */
export const shareDifference = (
  a: { readonly successes: number; readonly trials: number },
  b: { readonly successes: number; readonly trials: number },
  z = Z_99,
): Interval & { readonly difference: number } => {
  const [pa, pb] = [a.successes / Math.max(1, a.trials), b.successes / Math.max(1, b.trials)];
  const [ia, ib] = [
    shareInterval(a.successes, a.trials, z),
    shareInterval(b.successes, b.trials, z),
  ];
  return {
    difference: pa - pb,
    low: pa - pb - Math.hypot(pa - ia.low, ib.high - pb),
    high: pa - pb + Math.hypot(ia.high - pa, pb - ib.low),
  };
};

/** The end of the interval nearer to `neutral`; `neutral` itself if inside. */
export const cautious = ({ low, high }: Interval, neutral: number): number =>
  low > neutral ? low : high < neutral ? high : neutral;

export const rounded = (value: number, digits = 2): number => {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
};

/** Such as `1,234,567`. */
export const countText = (value: number): string => Math.round(value).toLocaleString('en-US');

/** A percentage, with one more digit near 0 and 100. */
export const percent = (share: number): string =>
  `${rounded(100 * share, share > 0.98 || share < 0.02 ? 1 : 0)} %`;

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
