import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import type { RandomStream } from './random-stream.ts';

/**
 * Exact counts of one video. Ages and spans are milliseconds; counts are views. The first rush
 * follows a Weibull curve, a slow share trickles in over weeks; medians and spread of the fractions
 * by age are those of real timelines (hits rise for days, ordinary videos for hours).
 */
export interface WorldCurve {
  /** Views the video ends with, second waves and corrections aside. */
  readonly total: number;
  readonly rushMs: number;
  readonly rushShape: number;
  readonly slowShare: number;
  readonly slowMs: number;
  /** The time of day (Unix ms, any day) at which its audience is most awake. */
  readonly awakeAt: number;
  /** Second waves: from `startMs` on, `views` more arrive within a few times `riseMs`. */
  readonly waves: readonly { startMs: number; views: number; riseMs: number }[];
  /** The platform takes views back: from `afterMs` on, `keep` of the count is left. */
  readonly corrections: readonly { afterMs: number; keep: number }[];
  readonly likesPerView: number;
  /** Age from which likes are hidden; Infinity: never. */
  readonly likesHiddenMs: number;
}

const AWAKE_SWING = 0.3;
const awakeTime = (at: number, awakeAt: number): number =>
  at + ((AWAKE_SWING * DAY_MS) / (2 * Math.PI)) * Math.sin((2 * Math.PI * (at - awakeAt)) / DAY_MS);

const weibull = (age: number, scale: number, shape: number): number =>
  -Math.expm1(-((age / scale) ** shape));

/** Views of a video born at `bornAt` as of `at`, as a real number before it is cut to a count. */
const exactViews = (curve: WorldCurve, bornAt: number, at: number): number => {
  const ageMs = at - bornAt;
  if (ageMs <= 0) return 0;
  const audienceMs = awakeTime(at, curve.awakeAt) - awakeTime(bornAt, curve.awakeAt);
  let views =
    curve.total *
    ((1 - curve.slowShare) * weibull(audienceMs, curve.rushMs, curve.rushShape) +
      curve.slowShare * weibull(audienceMs, curve.slowMs, 1));
  for (const wave of curve.waves)
    if (ageMs > wave.startMs)
      views += wave.views * weibull(ageMs - wave.startMs, wave.riseMs, WAVE_SHAPE);
  return views;
};
const WAVE_SHAPE = 1.6;

const keptShare = (curve: WorldCurve, ageMs: number): number => {
  let kept = 1;
  for (const correction of curve.corrections)
    if (ageMs >= correction.afterMs) kept *= correction.keep;
  return kept;
};

/** The view count as of `at`; 0 before birth. */
export const countViews = (curve: WorldCurve, bornAt: number, at: number): number =>
  Math.floor(exactViews(curve, bornAt, at) * keptShare(curve, at - bornAt));

/** The like count as of `at`, null where hidden. Likes run a little ahead of views. */
export const countLikes = (curve: WorldCurve, bornAt: number, at: number): number | null => {
  const ageMs = at - bornAt;
  if (ageMs >= curve.likesHiddenMs) return null;
  const views = exactViews(curve, bornAt, at);
  if (views <= 0) return 0;
  const eager = (views / curve.total) ** -0.06;
  return Math.floor(Math.min(views, views * curve.likesPerView * eager) * keptShare(curve, ageMs));
};

/** Views when everybody has come. */
export const finalViews = (curve: WorldCurve): number =>
  Math.floor(
    (curve.total + curve.waves.reduce((sum, wave) => sum + wave.views, 0)) *
      keptShare(curve, Number.POSITIVE_INFINITY),
  );

const logUniform = (stream: RandomStream, from: number, to: number): number =>
  from * (to / from) ** stream.next();

const drawWaves = (stream: RandomStream, total: number, hit: boolean): WorldCurve['waves'] => {
  if (!stream.chance(hit ? 0.09 : 0.03)) return [];
  const startMs = logUniform(stream, 14 * HOUR_MS, 28 * DAY_MS);
  const views = total * Math.min(8, stream.logNormal(0.8, 0.9));
  return [{ startMs, views, riseMs: stream.between(3 * HOUR_MS, 14 * HOUR_MS) }];
};

const drawCorrections = (stream: RandomStream): WorldCurve['corrections'] => {
  if (!stream.chance(0.3)) return [];
  return Array.from({ length: 1 + stream.poisson(1) }, () => {
    const drop = stream.chance(0.1) ? stream.logNormal(0.03, 0.6) : stream.logNormal(0.001, 0.8);
    return { afterMs: logUniform(stream, 6 * HOUR_MS, 34 * DAY_MS), keep: 1 - Math.min(0.3, drop) };
  });
};

const drawLikesHidden = (stream: RandomStream): number => {
  const draw = stream.next();
  if (draw < 0.01) return 0;
  return draw < 0.014 ? logUniform(stream, HOUR_MS, 30 * DAY_MS) : Number.POSITIVE_INFINITY;
};

/** Draws a curve that ends near `total` views. A hit rises for days instead of hours. */
export const drawCurve = (
  stream: RandomStream,
  shape: { total: number; hit: boolean; awakeAt: number },
): WorldCurve => ({
  total: shape.total,
  awakeAt: shape.awakeAt,
  rushMs: HOUR_MS * (shape.hit ? stream.logNormal(74, 0.45) : stream.logNormal(21, 0.8)),
  rushShape: shape.hit ? stream.between(0.85, 1.15) : stream.between(0.65, 0.95),
  slowShare: shape.hit ? stream.between(0.15, 0.5) : stream.between(0, 0.12),
  slowMs: DAY_MS * stream.logNormal(13, 0.5),
  waves: drawWaves(stream, shape.total, shape.hit),
  corrections: drawCorrections(stream),
  likesPerView: Math.min(0.35, stream.logNormal(0.036, 0.85)),
  likesHiddenMs: drawLikesHidden(stream),
});
