import { expect, test } from 'vitest';
import { sourceCode } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { judgeForecasts } from '../../../src/learn/forecast/judge.ts';
import { outlookAt } from '../../../src/learn/forecast/outlook.ts';
import { forecastAt, risingVideos } from '../../../src/learn/forecast/read.ts';
import { forecastStates } from '../../../src/learn/forecast/state.ts';
import { scoredWeeks } from '../../../src/learn/forecast/weeks.ts';
import { reasonAgainst, scoreOf } from '../../../src/learn/model/misses.ts';
import { readModels } from '../../../src/learn/model/model-rows.ts';
import { freshLake, putVideo } from '../../alerts/events/made-lake.ts';
import { forecastRound, learntLake } from './learnt-lake.ts';
import { FEW_CURVES, LEARNT_AT, putCurves } from './made-curves.ts';

const rows = (lake: Lake, table: string): unknown[] =>
  lake.sqlite.prepare(`select * from ${table}`).all();

const keyOf = (lake: Lake, id: string): number =>
  lake.sqlite.prepare('select key from video where id = ?').pluck().get(id) as number;

test('a lake learns, forecasts what it tracks, and a second round writes nothing', async () => {
  const { lake, summary } = await learntLake();
  expect(summary.learnt).toBe(1);
  expect(summary.forecast).toBeGreaterThan(50);
  const alone = forecastStates(lake.sqlite, LEARNT_AT).map(({ platform }) => platform);
  expect(new Set(alone)).toEqual(new Set(['youtube']));
  expect(await forecastRound(lake, LEARNT_AT)).toMatchObject({ learnt: 0, forecast: 0 });
  const touched = lake.sqlite
    .prepare("select count(*) from touched_partitions where table_name = 'forecasts'")
    .pluck()
    .get();
  expect(touched).toBeGreaterThan(0);

  const top = risingVideos(lake.sqlite, {
    platform: 'youtube',
    hours: 24,
    at: LEARNT_AT,
    limit: 5,
  });
  expect(top).toHaveLength(5);
  expect(top.map(({ topProbability }) => topProbability)).toEqual(
    top.map(({ topProbability }) => topProbability).toSorted((a, b) => b - a),
  );
  const view = lake.sqlite
    .prepare("select id from rising_next where platform = 'youtube' order by rank limit 5")
    .pluck()
    .all();
  expect(view).toEqual(top.map(({ id }) => id));
});

test('two lakes of the same history learn and forecast the same', async () => {
  const { lake: one } = await learntLake();
  const two = freshLake();
  putCurves(two, FEW_CURVES, LEARNT_AT);
  await forecastRound(two, LEARNT_AT);
  expect(rows(one, 'forecasts')).toEqual(rows(two, 'forecasts'));
  expect(rows(one, 'models')).toEqual(rows(two, 'models'));
});

test('an earlier forecast is shown as of its instant, and compared with the outcome', async () => {
  const { lake } = await learntLake();
  const id =
    risingVideos(lake.sqlite, { platform: 'youtube', hours: 24, at: LEARNT_AT, limit: 1 })[0]?.id ??
    '';
  const key = keyOf(lake, id);
  const then = forecastAt(lake.sqlite, key, LEARNT_AT);
  expect(then?.horizons.map(({ hours }) => hours)).toEqual([6, 24, 72, 168]);
  expect(outlookAt(lake.sqlite, LEARNT_AT).yesterday).toBeNull();

  const at = LEARNT_AT + 2 * DAY_MS;
  putCurves(lake, FEW_CURVES, at);
  await forecastRound(lake, at);
  expect(forecastAt(lake.sqlite, key, LEARNT_AT)).toEqual(then);
  expect(forecastAt(lake.sqlite, key, LEARNT_AT - 3 * DAY_MS)).toBeUndefined();

  const { models } = readModels(lake.sqlite, at);
  expect([...models.values()][0]?.scores).toMatchObject({ used: true, reason: null });
  const judged = judgeForecasts(lake.sqlite, models, { from: 0, to: at, at });
  const score = scoreOf(judged);
  expect(score?.error).toBeLessThan(score?.countStays ?? 0);
  expect(scoredWeeks(lake.sqlite, at).weeks.map(({ hours }) => hours)).toContain(24);
  expect(outlookAt(lake.sqlite, at).next).toHaveLength(5);
  const dayLater = outlookAt(lake.sqlite, LEARNT_AT + 30 * HOUR_MS).yesterday;
  expect(dayLater?.judged).toBeGreaterThan(5);
  const twoDaysLater = outlookAt(lake.sqlite, at).yesterday?.judged ?? 0;
  expect(twoDaysLater).toBeLessThan(dayLater?.judged ?? 0);
});

test('probabilities are compared with outcomes, once curves are finished', async () => {
  const { lake } = await learntLake();
  const at = LEARNT_AT + 5 * DAY_MS;
  putCurves(lake, FEW_CURVES, at);
  const { weeks, reliability } = scoredWeeks(lake.sqlite, at);
  const youtube = reliability.get('youtube');
  expect(youtube?.judged).toBeGreaterThan(50);
  expect(youtube?.error).toBeLessThan(0.2);
  expect(youtube?.bins.reduce((sum, { judged }) => sum + judged, 0)).toBe(youtube?.judged);
  expect(weeks.every(({ of, score }) => of === 'videos' && score.judged > 0)).toBe(true);
  expect(weeks.some(({ calibration }) => (calibration?.judged ?? 0) > 0)).toBe(true);
});

test('a model worse than a baseline is not used', () => {
  const recent = { judged: 500, error: 0.3, countStays: 0.2, paceGoesOn: 0.4, cohortMedian: null };
  expect(reasonAgainst({ ...recent, coverage: 0.8 })).toMatch(/count stays/);
  expect(reasonAgainst({ ...recent, error: 0.1, coverage: 0.8 })).toBeNull();
  expect(reasonAgainst({ ...recent, judged: 10, coverage: 0.8 })).toBeNull();
});

test('reports a damaged model once and learns it again', async () => {
  const { lake } = await learntLake();
  lake.sqlite.prepare("update models set parameters = x'00'").run();
  putCurves(lake, FEW_CURVES, LEARNT_AT + HOUR_MS * 6);
  const next = await forecastRound(lake, LEARNT_AT + HOUR_MS * 6);
  expect(next.warnings).toHaveLength(1);
  expect(next.warnings[0]).toMatch(/cannot be read/);
  expect(next.learnt).toBe(1);
  expect((await forecastRound(lake, LEARNT_AT + HOUR_MS * 6)).warnings).toEqual([]);
});

test('a lake of three days is silent and says what it lacks', async () => {
  const lake = freshLake();
  const at = LEARNT_AT - 11 * DAY_MS;
  putCurves(lake, FEW_CURVES, at);
  expect(await forecastRound(lake, at)).toMatchObject({ learnt: 0, forecast: 0 });
  const [state] = forecastStates(lake.sqlite, at);
  expect(state).toMatchObject({ platform: 'youtube', kind: 'video.feed', state: 'silent' });
  expect(state?.lacking).toBeGreaterThan(0);
});

test('an old import does not delay the models of what is watched now', async () => {
  const lake = freshLake();
  putCurves(lake, FEW_CURVES, LEARNT_AT);
  const old = LEARNT_AT - 100 * DAY_MS;
  for (let i = 0; i < 250; i++) {
    const key = 90_000 + i;
    lake.sqlite
      .prepare(
        "insert into video (key, id, platform, views, first_seen_at) values (?, ?, 'youtube', 5, ?)",
      )
      .run(key, `yt_old${i}`, old + i * HOUR_MS);
    lake.sqlite
      .prepare(
        'insert into video_snapshot (video_key, observed_at, views, rate_derived, source) values (?, ?, 5, 0, ?)',
      )
      .run(key, old + i * HOUR_MS, sourceCode('import'));
  }
  const { learnt, forecast } = await forecastRound(lake, LEARNT_AT);
  expect({ learnt, isForecast: forecast > 50 }).toEqual({ learnt: 1, isForecast: true });
});

test('a second way of watching is neither forecast by the first model nor lost', async () => {
  const { lake } = await learntLake();
  const at = LEARNT_AT + 6 * HOUR_MS;
  // 40 videos of an import with its own source appear
  const extra = JSON.stringify({ source: 'radar' });
  for (let i = 0; i < 40; i++) {
    const key = 90_000 + i;
    lake.sqlite
      .prepare(
        "insert into video (key, id, platform, views, first_seen_at) values (?, ?, 'youtube', 900, ?)",
      )
      .run(key, `yt_radar${i}`, at - HOUR_MS);
    lake.sqlite
      .prepare(
        'insert into video_snapshot (video_key, observed_at, views, rate_derived, source, extra) values (?, ?, 900, 0, ?, ?)',
      )
      .run(key, at - HOUR_MS, sourceCode('import'), extra);
  }
  putCurves(lake, FEW_CURVES, at);
  const { forecast } = await forecastRound(lake, at);
  expect(forecast).toBeGreaterThan(10);
  const ofRadar = lake.sqlite
    .prepare("select count(*) from forecasts where video_id like 'yt_radar%'")
    .pluck()
    .get();
  expect(ofRadar).toBe(0);
  expect(forecastStates(lake.sqlite, at).map(({ kind, state }) => [kind, state])).toEqual([
    ['video.feed', 'used'],
    ['video.import.radar', 'silent'],
  ]);
});

test('videos of an import with another cadence have no forecast until it is learned', async () => {
  const lake = freshLake();
  putCurves(lake, FEW_CURVES, LEARNT_AT); // every 12 hours
  const makeImport = lake.sqlite.prepare('update video_snapshot set source = ?');
  makeImport.run(sourceCode('import'));
  expect(await forecastRound(lake)).toMatchObject({ learnt: 1 });
  const at = LEARNT_AT + 6 * HOUR_MS;
  for (const everyHours of [1, 12, 48])
    putVideo(lake, {
      id: `yt_every${everyHours}`,
      createdAt: at - Math.min(48, 2 * everyHours) * HOUR_MS - 3 * HOUR_MS,
      snapshots: [2, 1, 0].flatMap((before): [number, number][] =>
        before * everyHours > 48 ? [] : [[at - before * everyHours * HOUR_MS, 9000 - before]],
      ),
    });
  makeImport.run(sourceCode('import'));
  await forecastRound(lake, at);
  const ids = lake.sqlite
    .prepare("select distinct video_id from forecasts where video_id like 'yt_every%'")
    .pluck()
    .all();
  expect(ids).toEqual(['yt_every12']);
});

test('an empty lake has nothing to say', async () => {
  const lake = freshLake();
  expect(await forecastRound(lake, LEARNT_AT, true)).toEqual({
    learnt: 0,
    forecast: 0,
    hashtags: 0,
    warnings: [],
  });
  expect(forecastStates(lake.sqlite, LEARNT_AT)).toEqual([]);
  expect(scoredWeeks(lake.sqlite, LEARNT_AT).weeks).toEqual([]);
});
