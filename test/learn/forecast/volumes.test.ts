import { expect, test, vi } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { forecastLake } from '../../../src/learn/forecast/forecast-lake.ts';
import { forecastStates } from '../../../src/learn/forecast/state.ts';
import { readVolumeModels } from '../../../src/learn/model/model-rows.ts';
import { packModel, unpackVolumeModel } from '../../../src/learn/model/pack.ts';
import { judgeVolumes } from '../../../src/learn/volumes/judge-volumes.ts';
import {
  learnVolumes,
  type VolumeModel,
  volumeAhead,
  volumeBaselines,
} from '../../../src/learn/volumes/learn-volumes.ts';
import { risingHashtags, volumeForecastAt } from '../../../src/learn/volumes/read-volumes.ts';
import {
  type DailyVolumes,
  logVolume,
  volumeAfter,
} from '../../../src/learn/volumes/volume-series.ts';
import { freshLake } from '../../alerts/events/made-lake.ts';
import { runCommand } from '../../support/run-command.ts';
import { madeVolumes, putVolumes, V0, volumesBy } from './made-volumes.ts';

const SERIES = madeVolumes(40, 90);
const LEARNT_AT = V0 + 60 * DAY_MS;

const round = (lake: Lake, now: number) =>
  forecastLake(lake, { clock: virtualClock(now), signal: new AbortController().signal });

const learnt = (): VolumeModel => {
  const model = learnVolumes(volumesBy(SERIES, LEARNT_AT), LEARNT_AT);
  if (model === undefined) throw new Error('nothing was learnt');
  return model;
};
const MODEL = learnt();

test('intervals of volumes keep their promise later, and medians beat what stands still', () => {
  let [inside, asked, error, stays] = [0, 0, 0, 0];
  for (const series of SERIES)
    for (const [position, { at, volume }] of series.volumes.entries()) {
      const truth = volumeAfter(series, position);
      if (at <= LEARNT_AT || truth === undefined) continue;
      const { median, low, high } = volumeAhead(MODEL, series, position);
      expect(low <= median && median <= high).toBe(true);
      asked += 1;
      inside += truth >= logVolume(low) && truth <= logVolume(high) ? 1 : 0;
      error += Math.abs(logVolume(median) - truth);
      stays += Math.abs(logVolume(volume) - truth);
    }
  expect(asked).toBeGreaterThan(500);
  expect(inside / asked).toBeGreaterThan(0.72);
  expect(inside / asked).toBeLessThan(0.9);
  expect(error).toBeLessThan(0.9 * stays);
});

test('what comes after changes neither model nor forecast; the same volumes give the same bytes', () => {
  const [series] = SERIES as [DailyVolumes];
  const bytes = packModel(MODEL);
  expect(packModel(learnt()).equals(bytes)).toBe(true);
  const [cut] = volumesBy([series], LEARNT_AT) as [DailyVolumes];
  const position = cut.volumes.length - 1;
  expect(volumeAhead(unpackVolumeModel(bytes), series, position)).toEqual(
    volumeAhead(MODEL, cut, position),
  );
  expect(() => unpackVolumeModel(bytes.subarray(0, 40))).toThrow();
});

test('silent before eight weeks, and with too few hashtags', () => {
  const early = V0 + 54 * DAY_MS;
  expect(learnVolumes(volumesBy(SERIES, early), early)).toBeUndefined();
  const few = volumesBy(SERIES.slice(0, 10), LEARNT_AT);
  expect(learnVolumes(few, LEARNT_AT)).toBeUndefined();
  expect(learnVolumes([], LEARNT_AT)).toBeUndefined();
});

test.each<[string, readonly (readonly [day: number, volume: number])[]]>([
  ['seen once', [[0, 5]]],
  [
    'that falls to nothing',
    [
      [0, 9000],
      [1, 10],
      [2, 0],
    ],
  ],
  [
    'corrected by half, after a gap',
    [
      [0, 1000],
      [30, 500],
    ],
  ],
  [
    'of more videos than anything',
    [
      [0, 1],
      [1, 2 ** 53 - 1],
    ],
  ],
])('a hashtag %s gets numbers that can be right', (_, days) => {
  const volumes = days.map(([day, volume]) => ({ at: V0 + day * DAY_MS, volume }));
  const { median, low, high } = volumeAhead(MODEL, { key: 1, volumes }, volumes.length - 1);
  expect([low, median, high].every((its) => Number.isSafeInteger(its) && its >= 0)).toBe(true);
  expect(low <= median && median <= high).toBe(true);
});

test('a lake forecasts its hashtags once, shows the forecasts, and compares them with outcomes', async () => {
  const lake = freshLake();
  putVolumes(lake, volumesBy(SERIES, LEARNT_AT));
  expect(await round(lake, LEARNT_AT)).toMatchObject({ learnt: 1, forecast: 0, hashtags: 40 });
  expect(await round(lake, LEARNT_AT)).toMatchObject({ learnt: 0, hashtags: 0, warnings: [] });
  expect(forecastStates(lake.sqlite, LEARNT_AT)).toMatchObject([
    { platform: '', kind: 'hashtag.hashtags.30d', state: 'used', counts: 'outcomes' },
  ]);
  // what has a model is not counted again: half a year of volumes, at each look at the status
  const prepare = vi.spyOn(lake.sqlite, 'prepare');
  forecastStates(lake.sqlite, LEARNT_AT);
  const statements = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  expect(statements.filter((sql) => sql.includes('group by hashtag_key'))).toEqual([]);

  const top = risingHashtags(lake.sqlite, { platform: '', at: LEARNT_AT, limit: 5 });
  const view = lake.sqlite.prepare('select tag from hashtags_next where rank <= 5').pluck().all();
  expect(view).toEqual(top.map(({ tag }) => tag));
  const [first] = top as [(typeof top)[number]];
  const like = { tag: first.tag, platform: '', window: '30d', at: LEARNT_AT } as const;
  expect(volumeForecastAt(lake.sqlite, like)).toMatchObject({ median: first.median });
  expect(volumeForecastAt(lake.sqlite, { ...like, window: '7d' })).toBeUndefined();
  expect(volumeForecastAt(lake.sqlite, { ...like, at: LEARNT_AT - DAY_MS })).toBeUndefined();

  const at = LEARNT_AT + 8 * DAY_MS;
  putVolumes(lake, volumesBy(SERIES, at));
  const { models } = readVolumeModels(lake.sqlite, at);
  const judged = judgeVolumes(lake.sqlite, models, { from: 0, to: at, at });
  expect(judged).toHaveLength(40);
  const [series] = SERIES as [DailyVolumes];
  const position = series.volumes.findIndex((volume) => volume.at === LEARNT_AT);
  const cut = { key: series.key, volumes: series.volumes.slice(0, position + 1) };
  const [model] = [...models.values()];
  expect(judged[0]?.paceGoesOn).toBeCloseTo(
    Math.abs(
      volumeBaselines({ usual: model?.model.usual ?? 0 }, cut, position).paceGoesOn -
        (volumeAfter(series, position) ?? 0),
    ),
    6,
  );
});

test('the command lists them, and says what is lacking where it is silent', async () => {
  const lake = freshLake();
  const hashtags = (now: number, ...argv: string[]) =>
    runCommand(['forecast', '--hashtags', ...argv], {
      dataDir: lake.dataDir,
      clock: virtualClock(now),
    });
  putVolumes(lake, volumesBy(SERIES, V0 + 20 * DAY_MS));
  expect((await hashtags(V0 + 20 * DAY_MS)).out).toMatch(/needs 56 days, has 20/);
  putVolumes(lake, volumesBy(SERIES, LEARNT_AT));
  await round(lake, LEARNT_AT);
  expect((await hashtags(LEARNT_AT)).out).toMatch(/all platforms: volume in a week, over 30d/);
  const { items } = JSON.parse((await hashtags(LEARNT_AT, '--json')).out);
  expect(items[0]).toMatchObject({ rank: 1, platform: '', window: '30d' });
});
