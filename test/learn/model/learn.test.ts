import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { endedOnTop, finishedAt } from '../../../src/learn/model/cohort.ts';
import { type Curve, logViews, truthAfter } from '../../../src/learn/model/curve.ts';
import { LEAST_FINISHED, learnWay, type WayModel } from '../../../src/learn/model/learn.ts';
import { type Forecast, modelForecast } from '../../../src/learn/model/model-forecast.ts';
import { packModel, unpackModel } from '../../../src/learn/model/pack.ts';
import { CURVES, FEW_CURVES, knownBy, LEARNT_AT, madeCurves, T0 } from '../forecast/made-curves.ts';

const learnt = (curves: readonly Curve[], at = LEARNT_AT): WayModel => {
  const model = learnWay(curves, at, T0);
  if (model === undefined) throw new Error('nothing was learnt');
  return model;
};

const model = learnt(knownBy(CURVES, LEARNT_AT));
/** The forecast of a model where it has one. */
const forecastOf = (its: WayModel, curve: Curve, position: number): Forecast => {
  const forecast = modelForecast(its, curve, position);
  if (forecast === undefined) throw new Error('the model is silent');
  return forecast;
};

/** Later curves than any that was learnt from. */
const later = madeCurves(700, 12).slice(400);

test('the same curves give the same model, byte by byte; what comes after changes nothing of it', () => {
  const known = learnt(knownBy(FEW_CURVES, LEARNT_AT));
  const withFuture = knownBy(FEW_CURVES, LEARNT_AT + 5 * DAY_MS).map((curve) => ({
    ...curve,
    points: curve.points.filter(({ at }) => at <= LEARNT_AT),
  }));
  expect(packModel(learnt(withFuture)).equals(packModel(known))).toBe(true);
});

test('a forecast rests on its snapshot and earlier ones alone', () => {
  const [curve] = later as [Curve];
  const cut = { ...curve, points: curve.points.slice(0, 5) };
  expect(modelForecast(model, curve, 4)).toEqual(modelForecast(model, cut, 4));
});

test('it stays silent below the least number of finished curves', () => {
  const few = knownBy(CURVES.slice(0, LEAST_FINISHED - 1), LEARNT_AT);
  expect(learnWay(few, LEARNT_AT, T0)).toBeUndefined();
  expect(learnWay([], LEARNT_AT, T0)).toBeUndefined();
});

test('a model kept is the model read, and what is damaged is refused in words', () => {
  const [curve] = later as [Curve];
  const bytes = packModel(model);
  expect(modelForecast(unpackModel(bytes), curve, 6)).toEqual(modelForecast(model, curve, 6));
  expect(() => unpackModel(bytes.subarray(0, bytes.length / 2))).toThrow();
  expect(() => unpackModel(Buffer.from('not a model'))).toThrow();
});

test('a model is silent about ages that few of its finished curves had at first sight', () => {
  // a list pulled for the first time is full of old videos that hardly grow
  const old = knownBy(FEW_CURVES, LEARNT_AT).map((curve) => ({
    createdAt: (curve.points[0]?.at ?? 0) - 20 * DAY_MS,
    points: curve.points.map(({ at, views }, i) => ({ at, views: i === 0 ? views : views + i })),
  }));
  const young = knownBy(FEW_CURVES.slice(0, 30), LEARNT_AT);
  const both = learnt([...old, ...young]);
  expect(modelForecast(both, young[7] as Curve, 9)).toBeUndefined();
  expect(modelForecast(both, old[7] as Curve, 9)?.topProbability).toBeLessThan(0.5);
  const unborn = { ...(later[3] as Curve), createdAt: null };
  expect(modelForecast(model, unborn, 9)).toBeUndefined();
  expect(modelForecast(model, later[3] as Curve, 9)).toBeDefined();
});

test('probabilities and intervals keep their promise on later curves', () => {
  let [inside, asked, stated, came] = [0, 0, 0, 0];
  let [error, stays] = [0, 0];
  for (const curve of later)
    for (const position of [1, 3, 6]) {
      const forecast = forecastOf(model, curve, position);
      const finished = finishedAt(curve, Number.MAX_SAFE_INTEGER);
      stated += forecast.topProbability;
      came += endedOnTop(model.cohorts, finished) ? 1 : 0;
      for (const [index, ahead] of forecast.horizons.slice(1).entries()) {
        const before = forecast.horizons[index] as typeof ahead;
        const rises = (['low', 'median', 'high'] as const).every(
          (key) => ahead[key] >= before[key],
        );
        expect(rises).toBe(true);
      }
      for (const { hours, median, low, high } of forecast.horizons) {
        const truth = truthAfter(curve.points, position, hours);
        if (truth === undefined) continue;
        expect(low).toBeLessThanOrEqual(median);
        expect(median).toBeLessThanOrEqual(high);
        asked += 1;
        inside += truth >= logViews(low) && truth <= logViews(high) ? 1 : 0;
        error += Math.abs(logViews(median) - truth);
        stays += Math.abs(logViews(curve.points[position]?.views ?? 0) - truth);
      }
    }
  expect(asked).toBeGreaterThan(1000);
  expect(inside / asked).toBeGreaterThan(0.7);
  expect(inside / asked).toBeLessThan(0.92);
  expect(Math.abs(stated - came) / (later.length * 3)).toBeLessThan(0.06);
  expect(error).toBeLessThan(0.6 * stays);
});

test.each<[string, Curve]>([
  ['of one snapshot', { createdAt: T0 - 9 * HOUR_MS, points: [{ at: T0, views: 100 }] }],
  [
    'that falls',
    { createdAt: T0, points: [1e6, 5e5, 100].map((views, i) => ({ at: T0 + i * HOUR_MS, views })) },
  ],
  [
    'that stands still',
    { createdAt: T0, points: [7, 7, 7, 7].map((views, i) => ({ at: T0 + i * DAY_MS, views })) },
  ],
  [
    'born after it was seen',
    { createdAt: T0 + DAY_MS, points: [1, 2].map((views, i) => ({ at: T0 + i * HOUR_MS, views })) },
  ],
  [
    'seen twice at one instant, and of more views than anything',
    { createdAt: T0, points: [1, 2 ** 53 - 1].map((views) => ({ at: T0, views })) },
  ],
  [
    'seen again after a year',
    { createdAt: T0, points: [10, 20].map((views, i) => ({ at: T0 + i * 365 * DAY_MS, views })) },
  ],
])('a video %s gets numbers that can be right', (_, curve) => {
  const { topProbability, horizons } = forecastOf(model, curve, curve.points.length - 1);
  expect(topProbability).toBeGreaterThanOrEqual(0);
  expect(topProbability).toBeLessThanOrEqual(1);
  for (const { median, low, high } of horizons) {
    expect([median, low, high].every((views) => Number.isSafeInteger(views) && views >= 0)).toBe(
      true,
    );
    expect(low <= median && median <= high).toBe(true);
  }
});

test('odd curves among those to learn from harm nothing', () => {
  const odd: Curve[] = [
    { createdAt: null, points: [{ at: T0, views: 1 }] },
    { createdAt: T0 + 30 * DAY_MS, points: [{ at: T0, views: 2 ** 53 - 1 }] },
    {
      createdAt: T0,
      points: Array.from({ length: 8 }, (_, i) => ({
        at: T0 + i * DAY_MS,
        views: 1000 - i * 100,
      })),
    },
  ];
  const { topProbability } = forecastOf(
    learnt([...odd, ...knownBy(FEW_CURVES, LEARNT_AT)]),
    FEW_CURVES[7] as Curve,
    3,
  );
  expect(topProbability).toBeGreaterThanOrEqual(0);
});
