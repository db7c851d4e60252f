import { PLATFORMS } from '../../schema/vocabulary.ts';
import type { PastCurve } from '../../src/budget/curves.ts';
import { HOUR_MS } from '../../src/durations.ts';
import { type Curve, logViews, type Point } from '../../src/forecast/curve.ts';
import { learnWay, type WayModel } from '../../src/forecast/learn.ts';
import { modelForecast } from '../../src/forecast/model-forecast.ts';
import { largest } from './largest.ts';
import type { Replay } from './replay.ts';
import type { Policy, Seen } from './simulate.ts';

/** The curves that teach were over before the replays' clock starts. */
const TAUGHT_AT = 1_700_000_000_000;

const pastOf = ({ ageHours, views }: PastCurve): Curve => {
  const createdAt = TAUGHT_AT - (ageHours.at(-1) ?? 0) * HOUR_MS - 15 * 24 * HOUR_MS;
  const points = views.map((count, i) => ({
    at: createdAt + (ageHours[i] ?? 0) * HOUR_MS,
    views: count,
  }));
  return { createdAt, points };
};

const modelsOf = ({ teach }: Replay): (WayModel | undefined)[] =>
  PLATFORMS.map((platform) => {
    const curves = teach
      .filter((curve) => curve.platform === platform && curve.views.length > 0)
      .map(pastOf)
      .sort((a, b) => (a.points[0]?.at ?? 0) - (b.points[0]?.at ?? 0));
    return learnWay(curves, TAUGHT_AT, curves[0]?.points[0]?.at ?? 0);
  });

/** What is forecast from a video's newest snapshot, on the logarithm, by hours ahead. */
interface Ahead {
  readonly hours: number;
  readonly grown: number;
  readonly width: number;
}

/** What a policy saw of a video, and what was forecast when it saw it last. */
interface Watched {
  readonly points: Point[];
  ahead: readonly Ahead[];
}

const NOW: Ahead = { hours: 0, grown: 0, width: 0 };

/** A number forecast so many hours ahead, between the horizons; past the last it goes on alike. */
const between = (ahead: readonly Ahead[], hours: number, of: (its: Ahead) => number): number => {
  let before = NOW;
  for (const its of ahead) {
    if (hours <= its.hours)
      return (
        of(before) + ((of(its) - of(before)) * (hours - before.hours)) / (its.hours - before.hours)
      );
    before = its;
  }
  return before.hours === 0 ? 0 : (of(before) * hours) / before.hours;
};

/** Refreshes those of which the forecast from their newest snapshot now says most, by `of`. */
const byForecast = (
  name: string,
  models: readonly (WayModel | undefined)[],
  of: (its: Ahead) => number,
): Policy => {
  const watched = new Map<number, Watched>();
  const noted = ({ tracked, columns }: Seen, i: number): Watched => {
    const video = tracked[i] ?? -1;
    const its = watched.get(video) ?? { points: [], ahead: [] };
    watched.set(video, its);
    const at = columns.lastAt[i] ?? 0;
    if (its.points.at(-1)?.at === at) return its;
    its.points.push({ at, views: columns.lastViews[i] ?? 0 });
    const model = models[columns.platform[i] ?? 0];
    if (model === undefined) return its;
    const curve = { createdAt: columns.createdAt[i] ?? null, points: its.points };
    const from = logViews(its.points.at(-1)?.views ?? 0);
    const forecast = modelForecast(model, curve, its.points.length - 1);
    its.ahead = (forecast?.horizons ?? []).map(({ hours, median, low, high }) => ({
      ...{ hours, grown: logViews(median) - from },
      width: logViews(high) - logViews(low),
    }));
    return its;
  };
  return {
    name,
    choose: (seen, calls) =>
      largest(
        Float64Array.from(seen.tracked, (_, i) => {
          const hours = (seen.now - (seen.columns.lastAt[i] ?? 0)) / HOUR_MS;
          // where nothing is forecast, whoever waited longest
          return between(noted(seen, i).ahead, hours, of) + 1e-9 * hours;
        }),
        calls,
      ).map((video) => ({ video })),
  };
};

/** Refreshes where the forecast is least certain, and where it expects most growth. */
export const forecastPolicies = (replay: Replay): Policy[] => {
  const models = modelsOf(replay);
  return [
    byForecast('forecast: widest interval', models, ({ width }) => width),
    byForecast('forecast: most growth', models, ({ grown }) => grown),
  ];
};
