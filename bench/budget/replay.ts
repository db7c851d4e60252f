import type { Platform } from '../../schema/vocabulary.ts';
import type { PastCurve } from '../../src/learn/budget/curves.ts';

/** One video whose true counts are known at every step from its first sight to its last. */
export interface ReplayVideo {
  readonly platform: Platform;
  readonly creator: number;
  /** Hours after the replay's start; negative when born before. */
  readonly bornHours: number;
  /** The step of its first sight, which costs nothing: a list showed it. */
  readonly from: number;
  /** Views at step from, from + 1, ...; never falling, at least 1. */
  readonly views: Float64Array;
  /** Integral of 1/views from the first step on, by trapezoids. */
  readonly inverse: Float64Array;
}

export interface Replay {
  readonly name: string;
  readonly stepHours: number;
  readonly steps: number;
  readonly callsPerStep: number;
  readonly videos: readonly ReplayVideo[];
  readonly teach: readonly PastCurve[];
}

/** A replay video from its counts at each step. */
export const replayVideo = (
  video: Omit<ReplayVideo, 'inverse' | 'views'>,
  counts: Iterable<number>,
): ReplayVideo => {
  const views = Float64Array.from(counts);
  const inverse = new Float64Array(views.length);
  let most = 1;
  for (let t = 0; t < views.length; t++) {
    most = Math.max(most, views[t] ?? 1);
    views[t] = most;
    if (t > 0) inverse[t] = (inverse[t - 1] ?? 0) + (1 / (views[t - 1] ?? 1) + 1 / most) / 2;
  }
  return { ...video, views, inverse };
};

/** Error added up between two refreshes (or a refresh and the end), in steps. */
export const errorBetween = ({ views, inverse }: ReplayVideo, a: number, b: number): number =>
  b - a - (views[a] ?? 0) * ((inverse[b] ?? 0) - (inverse[a] ?? 0));

/** The same share in 0..1 for the same text, always (FNV-1a). */
export const shareOf = (text: string): number => {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 4294967296;
};
