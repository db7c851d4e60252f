import { expect, test } from 'vitest';
import { detectEvents } from '../../../src/alerts/events/detect.ts';
import {
  forecastFindings,
  type StatedForecast,
  thresholdFor,
} from '../../../src/alerts/events/forecast-spike.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { freshLake, putVideo } from './made-lake.ts';

const T0 = Date.UTC(2026, 2, 1);
const at = (hours: number): number => T0 + hours * HOUR_MS;
const snapshot = (hours: number, views: number) => ({ at: at(hours), views });
const stated = (hours: number, probability: number, firstSeenAt = T0): StatedForecast => ({
  at: at(hours),
  firstSeenAt,
  probability,
  threshold: 0.6,
  samples: 300,
  median: 1000,
  low: 500,
  high: 2000,
});

const hoursOf = (snapshots: ReturnType<typeof snapshot>[], sayings: StatedForecast[]): number[] =>
  forecastFindings(snapshots, null, sayings).map(({ window }) => (window.to - T0) / HOUR_MS);

test('a snapshot over the threshold is named; the first snapshot and one after a gap are silent', () => {
  const snapshots = [
    snapshot(0, 10),
    snapshot(6, 20),
    snapshot(12, 90),
    snapshot(60, 5000),
    snapshot(66, 9000),
  ];
  const sure = [0, 6, 12, 60, 66].map((hours) =>
    stated(hours, [6, 60].includes(hours) ? 0.5 : 0.9),
  );
  expect(hoursOf(snapshots, sure)).toEqual([12, 66]);
  const overAll = snapshots.map((_, i) => stated([0, 6, 12, 60, 66][i] ?? 0, 0.9));
  expect(hoursOf(snapshots, overAll)).toEqual([6, 12]);
  expect(hoursOf([snapshot(0, 10)], [stated(0, 0.99)])).toEqual([]);
  expect(hoursOf([], [stated(0, 0.99)])).toEqual([]);
});

test('a video already over the threshold when forecasts began is not named', () => {
  const snapshots = [snapshot(0, 10), snapshot(6, 20), snapshot(12, 90)];
  const old = T0 - 100 * HOUR_MS;
  expect(hoursOf(snapshots, [stated(6, 0.9, old), stated(12, 0.9, old)])).toEqual([]);
  expect(hoursOf(snapshots, [stated(6, 0.3, old), stated(12, 0.9, old)])).toEqual([12]);
});

test('the threshold is the lowest that had the precision, on enough named', () => {
  const naming = [
    { probability: 0.4, named: 100, right: 60 },
    { probability: 0.5, named: 80, right: 60 },
    { probability: 0.9, named: 19, right: 19 },
  ];
  expect(thresholdFor({ used: true, naming }, 0.7)).toBe(0.5);
  expect(thresholdFor({ used: true, naming }, 0.9)).toBeUndefined();
  expect(thresholdFor({ used: false, naming }, 0.7)).toBeUndefined();
});

const withForecasts = (lake: Lake): void => {
  const snapshots = [0, 6, 12, 18, 24, 30].map((hours): [number, number] => [
    at(hours),
    1000 + hours,
  ]);
  const key = putVideo(lake, { id: 'tt_a', createdAt: at(-5), snapshots });
  const naming = JSON.stringify([{ probability: 0.5, named: 50, right: 45 }]);
  lake.sqlite.exec(`insert into models (id, kind, platform, learnt_at, learnt_until, samples, scores, parameters)
    values (1, 'video.list', 'tiktok', 0, 0, 300, '{"used": true, "naming": ${naming}}', x'00')`);
  const put = lake.sqlite.prepare(
    'insert into forecast values (?, ?, 24, 9000, 4000, 20000, ?, 1, 0, null)',
  );
  for (const [hours, top] of [
    [6, 0.3],
    [12, 0.6],
    [18, 0.7],
  ] as const)
    put.run(key, at(hours), top);
};

test('events speak by the forecasts that are held, once, whole or piece by piece', () => {
  const lake = freshLake();
  withForecasts(lake);
  const whole = detectEvents(lake, { from: at(-1), to: at(40) });
  expect(whole).toMatchObject([
    {
      kind: 'trend.spike',
      occurredAt: at(12),
      evidence: { rule: 'forecast', topProbability: 0.6, threshold: 0.5, viewsIn24h: 9000 },
    },
  ]);
  const pieces = [-1, 5, 11, 17, 23].flatMap((from) =>
    detectEvents(lake, { from: at(from), to: at(from + 6) }),
  );
  expect(pieces.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
});
