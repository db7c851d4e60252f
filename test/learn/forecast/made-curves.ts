import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import type { Curve } from '../../../src/learn/model/curve.ts';
import { RandomStream } from '../../../src/sandbox/world/random-stream.ts';
import { type MadeVideo, putVideo } from '../../alerts/events/made-lake.ts';

export const T0 = Date.UTC(2026, 2, 1);

/**
 * A made-up curve: it starts somewhere, grows towards a limit at its own pace, and is seen every so
 * many hours over five days, with a little noise. One in six grows much more than the others.
 */
const madeCurve = (seed: number, firstAt: number, everyHours: number): Curve => {
  const random = new RandomStream(0xf0, seed);
  const start = Math.exp(random.between(6, 11));
  const pace = random.between(8, 60);
  const times = random.chance(1 / 6) ? random.between(3, 20) : random.between(0.05, 1.5);
  const points = Array.from({ length: (5 * 24) / everyHours }, (_, i) => {
    const hours = i * everyHours;
    const grown = start * (1 + times * -Math.expm1(-hours / pace)) * (1 + 0.01 * random.next());
    return { at: firstAt + hours * HOUR_MS, views: Math.round(grown) };
  });
  return { createdAt: firstAt - Math.round(random.between(1, 12)) * HOUR_MS, points };
};

/** Curves first seen one after the other over `days`. */
export const madeCurves = (count: number, days: number, everyHours = 6): Curve[] =>
  Array.from({ length: count }, (_, i) =>
    madeCurve(i, T0 + Math.floor((i * days * 24) / count) * HOUR_MS, everyHours),
  );

/** The part of each curve that was known at an instant. */
export const knownBy = (curves: readonly Curve[], at: number): Curve[] =>
  curves.flatMap((curve) => {
    const points = curve.points.filter((point) => point.at <= at);
    return points.length === 0 ? [] : [{ ...curve, points }];
  });

const madeVideo = (curve: Curve, i: number): MadeVideo => ({
  id: `yt_${String(i).padStart(5, '0')}`,
  ...(curve.createdAt === null ? {} : { createdAt: curve.createdAt }),
  snapshots: curve.points.map(({ at, views }) => [at, views]),
});

/** Puts what was known of the curves at an instant into a lake, as loads would have. */
export const putCurves = (lake: Lake, curves: readonly Curve[], at: number): void => {
  lake.sqlite.transaction(() => {
    for (const [i, curve] of curves.entries())
      for (const known of knownBy([curve], at)) putVideo(lake, madeVideo(known, i));
  })();
};

/** Enough nights for a first model: 260 curves over eleven days. */
export const CURVES = madeCurves(260, 11);
/** Just enough, seen half as often: to learn from them costs half. */
export const FEW_CURVES = madeCurves(230, 11, 12);
export const LEARNT_AT: number = T0 + 14 * DAY_MS;
