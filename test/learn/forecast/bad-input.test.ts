import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { forecastAt } from '../../../src/learn/forecast/read.ts';
import { newestObservation } from '../../../src/learn/model/observations.ts';
import { freshLake, putVideo } from '../../alerts/events/made-lake.ts';
import { forecastRound, learntLake } from './learnt-lake.ts';
import { FEW_CURVES, LEARNT_AT, putCurves } from './made-curves.ts';

const at = (hoursBefore: number): number => LEARNT_AT - hoursBefore * HOUR_MS;

/** Counts as sources really send them, hours before the lake's newest instant. */
const ODD: Record<string, readonly (readonly [hoursBefore: number, views: number | null])[]> = {
  once: [[3, 100]],
  falling: [
    [30, 9000],
    [18, 4000],
    [6, 50],
  ],
  frozen: [
    [40, 700],
    [28, 700],
    [16, 700],
    [4, 700],
  ],
  zero: [
    [20, 0],
    [8, 0],
  ],
  missing: [
    [20, null],
    [8, null],
  ],
  'zero among counts': [
    [20, 500],
    [14, 0],
    [8, 900],
  ],
  'corrected by half': [
    [40, 80_000],
    [20, 120_000],
    [6, 60_000],
  ],
  'with a gap': [
    [330, 10],
    [6, 5000],
  ],
};

const NAMES = Object.keys(ODD);
const idOf = (name: string): string => `yt_odd${NAMES.indexOf(name)}`;

test('odd counts are forecast soberly or not at all, and harm no other', async () => {
  const lake = freshLake();
  putCurves(lake, FEW_CURVES, LEARNT_AT);
  for (const name of NAMES)
    putVideo(lake, {
      id: idOf(name),
      createdAt: at((ODD[name]?.[0]?.[0] ?? 0) + 10),
      snapshots: (ODD[name] ?? []).map(([hours, views]) => [at(hours), views]),
    });
  // a clock that ran ahead: what is said to be seen tomorrow is not known today
  putVideo(lake, { id: 'yt_ahead', snapshots: [[LEARNT_AT + DAY_MS, 10 ** 9]] });
  expect(newestObservation(lake.sqlite, LEARNT_AT)).toBeLessThanOrEqual(LEARNT_AT);
  expect(await forecastRound(lake)).toMatchObject({ learnt: 1, warnings: [] });
  const forecast = (id: string) => {
    const key = lake.sqlite.prepare('select key from video where id = ?').pluck().get(id);
    return forecastAt(lake.sqlite, key as number, LEARNT_AT);
  };
  const silent = NAMES.filter((name) => forecast(idOf(name)) === undefined);
  expect(silent).toEqual(['zero', 'missing']);
  expect(forecast('yt_ahead')).toBeUndefined();
  for (const name of NAMES.filter((one) => !silent.includes(one))) {
    const its = forecast(idOf(name));
    const last = ODD[name]?.findLast(([, views]) => (views ?? 0) > 0)?.[1] ?? 0;
    expect(its?.topProbability).toBeGreaterThanOrEqual(0);
    expect(its?.topProbability).toBeLessThanOrEqual(1);
    for (const { median, low, high } of its?.horizons ?? [])
      if (median !== null) {
        expect(Number.isSafeInteger(median)).toBe(true);
        expect(median).toBeGreaterThanOrEqual(last);
        expect([low, median, high]).toEqual(
          [low, median, high].toSorted((a, b) => (a ?? 0) - (b ?? 0)),
        );
      }
  }
});

test('reports a model of a newer version once, keeps it and learns another', async () => {
  const { lake } = await learntLake();
  const [row] = lake.sqlite.prepare('select id, parameters from models').all() as [
    { id: number; parameters: Buffer },
  ];
  const { model } = JSON.parse(gunzipSync(row.parameters).toString());
  const newer = gzipSync(JSON.stringify({ version: 99, model }));
  lake.sqlite.prepare('update models set parameters = ?').run(newer);
  putCurves(lake, FEW_CURVES, LEARNT_AT + 6 * HOUR_MS);
  const next = await forecastRound(lake, LEARNT_AT + 6 * HOUR_MS);
  expect(next.warnings).toEqual([expect.stringMatching(/version 99, and this trendlake reads \d/)]);
  expect(next.learnt).toBe(1);
  expect((await forecastRound(lake, LEARNT_AT + 6 * HOUR_MS)).warnings).toEqual([]);
  expect(
    lake.sqlite.prepare('select parameters from models where id = ?').pluck().get(row.id),
  ).toEqual(newer);
});
