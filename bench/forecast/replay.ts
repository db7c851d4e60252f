import { thresholdFor } from '../../src/alerts/events/forecast-spike.ts';
import { THRESHOLDS } from '../../src/alerts/events/thresholds.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { baselineGuesses } from '../../src/learn/model/baselines.ts';
import { creatorPastOf, MOST_OF_CREATOR } from '../../src/learn/model/creator-past.ts';
import { growthUntil, type Curve as PastCurve, truthAfter } from '../../src/learn/model/curve.ts';
import {
  finishedBy,
  knownAt,
  learnWay,
  type WayModel,
  withheldHorizons,
} from '../../src/learn/model/learn.ts';
import type { BaselineGuesses } from '../../src/learn/model/misses.ts';
import { type HorizonForecast, modelForecast } from '../../src/learn/model/model-forecast.ts';
import type { Curve } from './real-curves.ts';

/** One question of the replay, and its outcome. */
export interface Asked {
  readonly curve: Curve;
  readonly position: number;
  readonly at: number;
  readonly probability: number;
  /** Its growth already reached the edge of the top tenth, as the model has it. */
  readonly overEdge: boolean;
  /** Unix ms by which the rise is likely over. */
  readonly overBy: number | null;
  /** From which `trend.spike` would speak, by the default precision; undefined: it would not. */
  readonly threshold: number | undefined;
  /** Views ahead, for known outcomes. */
  readonly ahead: readonly Ahead[];
}

interface Ahead extends HorizonForecast {
  readonly now: number; // views
  readonly truth: number; // ln(views + 1000)
  /** The guess of each baseline, ln(views + 1000). */
  readonly baselines: BaselineGuesses;
  /** True if the gate would not show this horizon. */
  readonly isWithheld: boolean;
}

/** Result of one source. */
export interface Replay {
  readonly source: string;
  readonly curves: readonly Curve[];
  readonly firstAt: number;
  /** When a forecast was first given, and on how many finished curves; undefined: never. */
  readonly voice: { readonly at: number; readonly finished: number } | undefined;
  readonly mostFinished: number;
  readonly silent: number;
  readonly asked: readonly Asked[];
  /** Time between two learnings. */
  readonly stepMs: number;
  readonly learnings: number;
  readonly learnMs: number;
}

const PRECISION = THRESHOLDS.youtube.spike.minPrecision;
const LONG_MS = 28 * DAY_MS;

/** Curves with what was known of their creators at first sight. */
const pastsOf = (curves: readonly Curve[]): PastCurve[] => {
  const pasts = curves.map(({ user, createdAt, snapshots }) => ({
    user,
    createdAt,
    points: snapshots.map(({ at, views }) => ({ at, views: views ?? 0 })),
  }));
  const byUser = Map.groupBy(pasts, ({ user }) => user);
  const firstOf = ({ points }: PastCurve): number => points[0]?.at ?? 0;
  return pasts.map(({ user, ...past }) => {
    if (user === null) return past;
    const at = firstOf(past);
    const before = (byUser.get(user) ?? [])
      .filter((other) => firstOf(other) < at)
      .sort((a, b) => firstOf(b) - firstOf(a))
      .slice(0, MOST_OF_CREATOR);
    return { ...past, creator: creatorPastOf(before.map((other) => growthUntil(other, at))) };
  });
};

const ask = (
  model: WayModel,
  withheld: ReadonlySet<number>,
  { curve, past }: { curve: Curve; past: PastCurve },
  position: number,
): Asked | undefined => {
  const forecast = modelForecast(model, past, position);
  if (forecast === undefined) return undefined;
  const { topProbability, overEdge, overBy, horizons } = forecast;
  const now = past.points[position]?.views ?? 0;
  const ahead = horizons.flatMap((horizon): Ahead[] => {
    const truth = truthAfter(past.points, position, horizon.hours);
    if (truth === undefined) return [];
    const guesses = baselineGuesses(model.usual, past, position, horizon.hours);
    const isWithheld = withheld.has(horizon.hours);
    return [{ ...horizon, now, truth, baselines: guesses, isWithheld }];
  });
  const { at } = past.points[position] as { at: number };
  const threshold = thresholdFor({ used: true, naming: model.naming }, PRECISION);
  return { curve, position, at, probability: topProbability, overEdge, overBy, threshold, ahead };
};

/**
 * Replays one source as time goes: learns every night (every week where it was watched for more
 * than four weeks) from what was known then, and asks about each snapshot until the next learning.
 * Only videos first seen once there was a voice for their like are asked about.
 */
export const replay = (source: string, curves: readonly Curve[], nowMs: () => number): Replay => {
  const pasts = pastsOf(curves);
  const firstAt = Math.min(...curves.map(({ snapshots }) => snapshots[0]?.at ?? 0));
  const endAt = Math.max(...curves.map(({ snapshots }) => snapshots.at(-1)?.at ?? 0));
  const step = endAt - firstAt > LONG_MS ? 7 * DAY_MS : DAY_MS;
  const asked: Asked[] = [];
  const unheard = new Set<number>();
  let voice: Replay['voice'];
  let [silent, learnings, learnMs, mostFinished] = [0, 0, 0, 0];
  for (let night = firstAt - (firstAt % DAY_MS); night <= endAt; night += step) {
    const known = pasts.flatMap((past) => knownAt(past, night) ?? []);
    const began = nowMs();
    const model = learnWay(known, night, firstAt);
    if (model === undefined)
      mostFinished = Math.max(mostFinished, finishedBy(known, night, firstAt).length);
    else {
      learnings += 1;
      learnMs = Math.max(learnMs, nowMs() - began);
      voice ??= { at: night, finished: model.finished };
    }
    const withheld = new Set(
      model === undefined ? [] : withheldHorizons(model, new Map()).map(({ hours }) => hours),
    );
    for (const [index, past] of pasts.entries())
      for (const [position, { at }] of past.points.entries()) {
        if (at <= night || at > night + step) continue;
        const its =
          model === undefined
            ? undefined
            : ask(model, withheld, { curve: curves[index] as Curve, past }, position);
        if (its === undefined && position === 0) unheard.add(index);
        if (its === undefined || unheard.has(index)) silent += 1;
        else asked.push(its);
      }
  }
  const counted = { mostFinished, silent, asked, learnings, learnMs };
  return { source, curves, firstAt, voice, stepMs: step, ...counted };
};

/** Days, for people. */
export const daysOf = (ms: number): string => (ms / (24 * HOUR_MS)).toFixed(1);
