import type { Platform } from '../../../schema/vocabulary.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import { docsPage } from '../../base/installation.ts';
import { fieldOf } from '../../base/json-object.ts';

/** When a video's pace counts as a spike; see trend-spike.ts. */
export interface SpikeThresholds {
  /** Views inside the window, at least. */
  readonly minGain: number;
  /** Views per hour, at least. */
  readonly minPace: number;
  /** Pace over what its own past and its age lead one to expect, at least. */
  readonly minRatio: number;
  /** Slope of the curve on two logarithmic scales, at least; 1 is growth in proportion to age. */
  readonly minBend: number;
  /**
   * For trusted forecasts: least share of the named videos that end on top; see
   * docs/guides/forecasts.md.
   */
  readonly minPrecision: number;
}

/** When a creator counts as viral; see creator-viral.ts. */
export interface CreatorThresholds {
  /** Views of the video, at least. */
  readonly minViews: number;
  /** Views over the median of the creator's other videos, at least. */
  readonly minTimesMedian: number;
  /** Ranks of a list that count as its top. */
  readonly topRank: number;
}

/** When a hashtag counts as rising; see hashtag-rising.ts. */
export interface HashtagThresholds {
  /** Volume over its usual volume, both with the damping added, at least. */
  readonly minVolumeRatio: number;
  /** Views a day over the usual views a day, both with the damping added, at least. */
  readonly minPaceRatio: number;
  /** Added to both sides, in videos: keeps a step from 2 to 8 from being a rise. */
  readonly videoDamping: number;
  /** The same for totals of views. */
  readonly viewDamping: number;
}

/** When a niche counts as breaking out; see niche-breakout.ts. */
export interface NicheThresholds {
  /** Share of a list's videos, at least. */
  readonly minShare: number;
  /** Share over its usual share, with the damping added to both, at least. */
  readonly minRatio: number;
  readonly minVideos: number;
  readonly minCreators: number;
}

interface Thresholds {
  readonly spike: SpikeThresholds;
  readonly creator: CreatorThresholds;
  readonly hashtag: HashtagThresholds;
  readonly niche: NicheThresholds;
}

/** Thresholds of each platform. */
export type AllThresholds = Readonly<Record<Platform, Thresholds>>;

const hashtag: HashtagThresholds = {
  minVolumeRatio: 1.5,
  minPaceRatio: 2,
  videoDamping: 20,
  viewDamping: 1_000_000,
};
const niche: NicheThresholds = { minShare: 0.04, minRatio: 2.5, minVideos: 5, minCreators: 4 };

/**
 * Every number the detectors compare with, by platform. Those of `trend.spike` were chosen by
 * bench/events.ts on one half of real curves and reported on the other; the platforms whose real
 * curves are few carry YouTube's, scaled to their usual counts.
 */
export const THRESHOLDS: AllThresholds = {
  youtube: {
    spike: { minGain: 2_000, minPace: 2_000, minRatio: 2, minBend: 1.25, minPrecision: 0.7 },
    creator: { minViews: 20_000, minTimesMedian: 10, topRank: 3 },
    hashtag,
    niche,
  },
  tiktok: {
    spike: { minGain: 4_000, minPace: 4_000, minRatio: 2, minBend: 1.25, minPrecision: 0.7 },
    creator: { minViews: 100_000, minTimesMedian: 10, topRank: 3 },
    hashtag,
    niche,
  },
  instagram: {
    spike: { minGain: 4_000, minPace: 4_000, minRatio: 2, minBend: 1.25, minPrecision: 0.7 },
    creator: { minViews: 50_000, minTimesMedian: 10, topRank: 3 },
    hashtag,
    niche,
  },
};

type Fields = Readonly<Record<string, unknown>>;

/** `shipped` with the numbers that `given` names; every name must be one of `shipped`. */
const merged = <T extends object>(shipped: T, given: unknown, path: string): T => {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new UsageError(
      `${path === '' ? '' : `${path} of `}TRENDLAKE_EVENT_THRESHOLDS must be an object. See ${docsPage('guides/events.md')}.`,
    );
  const result = { ...shipped } as Record<string, unknown>;
  for (const [name, value] of Object.entries(given as Fields)) {
    const before = fieldOf(result, name);
    const at = path === '' ? name : `${path}.${name}`;
    if (before === undefined)
      throw new UsageError(
        `TRENDLAKE_EVENT_THRESHOLDS has the unknown field ${at}. Known ones are ${Object.keys(shipped).join(', ')}.`,
      );
    if (typeof before === 'object' && before !== null) result[name] = merged(before, value, at);
    else if (typeof value === 'number' && Number.isFinite(value) && value >= 0)
      result[name] = value;
    else
      throw new UsageError(
        `${at} of TRENDLAKE_EVENT_THRESHOLDS must be a number from 0. It is ${JSON.stringify(value)}.`,
      );
  }
  return result as T;
};

/**
 * The shipped thresholds, with those of a JSON text in place:
 * `{"tiktok": {"spike": {"minGain": 5000}}}`.
 * @throws UsageError for an invalid value
 */
export const readThresholds = (text: string | undefined): typeof THRESHOLDS => {
  if (text === undefined) return THRESHOLDS;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`TRENDLAKE_EVENT_THRESHOLDS must be JSON: ${messageOf(error)}.`);
  }
  return merged(THRESHOLDS, given, '');
};
