import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { freshLake, putVideo } from '../../alerts/events/made-lake.ts';
import { runCommand } from '../../support/run-command.ts';
import { T0 } from './made-curves.ts';

const NOW = T0 + 31 * HOUR_MS;
const forecast = (lake: Lake, ...argv: string[]) =>
  runCommand(['forecast', ...argv], { dataDir: lake.dataDir, clock: virtualClock(NOW) });

/** A video seen at 0, 6 and 30 h, forecast from the second and the third. */
const forecastLake = (): Lake => {
  const lake = freshLake();
  const snapshots = [0, 6, 30].map((hours): [number, number] => [
    T0 + hours * HOUR_MS,
    1000 + hours,
  ]);
  const key = putVideo(lake, { id: 'tt_a', snapshots });
  lake.sqlite.exec(`insert into models (id, kind, platform, learnt_at, learnt_until, samples, scores, parameters)
    values (1, 'video.list', 'tiktok', ${T0}, ${T0}, 300, '{"used":true,"reason":null,"recent":null,"naming":[]}', x'00')`);
  const put = lake.sqlite.prepare(
    'insert into forecast values (?, ?, ?, ?, ?, ?, 0.42, 1, 0, null)',
  );
  for (const at of [6, 30])
    for (const [hours, ...views] of [
      [6, null, null, null],
      [24, 1040, 1000, 1200],
    ] as const)
      put.run(key, T0 + at * HOUR_MS, hours, ...views);
  return lake;
};

test('the likeliest, one video, and how earlier forecasts did', async () => {
  const lake = forecastLake();
  expect((await forecast(lake)).out).toMatch(/tiktok[\s\S]*42 %[\s\S]*tt_a[\s\S]*1,040/);
  expect((await forecast(lake, 'tt_a')).out).toMatch(/^tt_a: 42 %[\s\S]*24 h[\s\S]*1,200/);
  const one = JSON.parse((await forecast(lake, 'tt_a', '--json')).out);
  expect(one).toMatchObject({
    id: 'tt_a',
    forecast: { madeAt: '2026-03-02T06:00:00.000Z', topProbability: 0.42, samples: 300 },
  });
  expect(one.forecast.horizons[0]).toEqual({ hours: 6, median: null, low: null, high: null });
  const listed = JSON.parse((await forecast(lake, '--json')).out);
  expect(listed).toMatchObject({
    horizonHours: 24,
    items: [{ rank: 1, id: 'tt_a', median: 1040 }],
  });
  const [week] = JSON.parse((await forecast(lake, '--score', '--json')).out);
  expect(week).toMatchObject({ platform: 'tiktok', hours: 24, score: { judged: 1, coverage: 1 } });
  expect((await forecast(lake, '--score')).out).toMatch(/1 h|24 h/);
});

test('silence says what is lacking; what cannot be asked is refused', async () => {
  const lake = freshLake();
  expect((await forecast(lake)).out).toMatch(/^No forecasts yet\.\n.*No curve is finished yet/);
  expect((await forecast(lake, '--score')).out).toBe('No forecast is due yet.');
  expect(await forecast(lake, '--horizon', '5h')).toMatchObject({ code: 2 });
  const unknown = await forecast(lake, 'tt_nobody');
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.err).toMatch(/No video tt_nobody is in the lake/);
});
