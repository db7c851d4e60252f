import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { isoOf } from '../../src/base/iso.ts';
import { forecastsResponse, growthResponse, hashtagsResponse } from '../../src/base/wire/shapes.ts';
import { LAKE_FILE } from '../../src/lake/open.ts';
import { hoursAgo } from './filled-lake.ts';
import { putForecasts } from './made-forecasts.ts';
import { type Running, runService } from './running.ts';

let running: Running;

const VIEWS = { 24: [200, 100, 400] } as const;

beforeAll(async () => {
  running = await runService((into) => {
    for (const id of ['tt_1', 'tt_2', 'tt_3', 'tt_4'])
      into.video({
        id,
        snapshots: [
          [hoursAgo(30), 5],
          [hoursAgo(5), 9],
          [hoursAgo(2), 10],
        ],
      });
    const list = {
      list: 'hashtags',
      platform: '',
      period: '30d',
      at: hoursAgo(2),
      total: 2,
    } as const;
    into.pulled(list);
    for (const [index, tag] of ['dance', 'food'].entries())
      into.hashtag({
        tag,
        platform: '',
        at: hoursAgo(2),
        volume: 50 - index,
        rank: index + 1,
        window: '30d',
      });
  });
  putForecasts(running.dataDir, 'tiktok', [
    { id: 'tt_1', at: hoursAgo(30), top: 0.2, views: VIEWS },
    { id: 'tt_1', at: hoursAgo(2), top: 0.4, views: VIEWS },
    { id: 'tt_2', at: hoursAgo(2), top: 0.9, overBy: hoursAgo(-7), views: VIEWS },
    { id: 'tt_4', at: hoursAgo(2), top: 0.99, overEdge: true, views: VIEWS },
  ]);
  const db = new Database(join(running.dataDir, LAKE_FILE));
  db.exec(`insert into models (id, kind, platform, learnt_at, learnt_until, samples, scores, parameters)
      values (2, 'hashtag.hashtags.30d', '', ${hoursAgo(40)}, ${hoursAgo(40)}, 300, '{}', x'00');
    insert into hashtag_forecast
      select key, '', ${hoursAgo(2)}, 168, 60, 40, 90, 2 from hashtag where tag = 'dance'`);
  db.close();
});

test('growth returns the forecast of that time and omits unknown ones', async () => {
  const { body } = await running.get('/videos/tt_1/growth');
  const horizons = [{ hours: 24, median: 200, low: 100, high: 400 }];
  expect(body.forecast).toEqual({
    madeAt: isoOf(hoursAgo(2)),
    horizons,
    topProbability: 0.4,
    overEdge: false,
    overBy: null,
  });
  expect(growthResponse.safeParse(body).success).toBe(true);
  const then = await running.get(`/videos/tt_1/growth?asOf=${isoOf(hoursAgo(10))}`);
  expect(then.body.forecast).toMatchObject({ madeAt: isoOf(hoursAgo(30)), topProbability: 0.2 });
  expect((await running.get('/videos/tt_3/growth')).body.forecast).toBeNull();
});

test('lists the most likely first, paged, as of an instant', async () => {
  const { body } = await running.get('/forecasts/tiktok');
  expect(forecastsResponse.parse(body).items.map(({ rank, id }) => [rank, id])).toEqual([
    [1, 'tt_2'],
    [2, 'tt_1'],
  ]);
  const second = await running.get('/forecasts/tiktok?limit=1&page=2&horizon=72h');
  expect(second.body).toMatchObject({ total: 2, page: 2, horizonHours: 72 });
  expect(second.body.items).toMatchObject([{ id: 'tt_1', rank: 2, median: null }]);
  const then = await running.get(`/forecasts/tiktok?asOf=${isoOf(hoursAgo(10))}`);
  expect(then.body.items).toMatchObject([{ id: 'tt_1', topProbability: 0.2 }]);
});

test('videos over the edge are a separate list, and gains and the end of the rise are stated', async () => {
  const next = forecastsResponse.parse((await running.get('/forecasts/tiktok')).body);
  expect(next.items.map(({ id, gain24h, overBy }) => [id, gain24h, overBy])).toEqual([
    ['tt_2', 190, isoOf(hoursAgo(-7))],
    ['tt_1', 190, null],
  ]);
  const risen = await running.get('/forecasts/tiktok?list=risen');
  expect(risen.body).toMatchObject({ total: 1, items: [{ id: 'tt_4', topProbability: 0.99 }] });
  expect((await running.get('/forecasts/tiktok?list=soon')).status).toBe(400);
  const db = new Database(join(running.dataDir, LAKE_FILE), { readonly: true });
  const read = (view: string) =>
    db.prepare(`select id, rank, gain_24h, over_by from ${view} order by rank`).raw().all();
  expect(read('rising_next')).toEqual([
    ['tt_2', 1, 190, isoOf(hoursAgo(-7))],
    ['tt_1', 2, 190, null],
  ]);
  expect(read('risen')).toEqual([['tt_4', 1, 190, null]]);
  db.close();
});

test('nothing is shown of a rejected model, before or after it was rejected', async () => {
  const db = new Database(join(running.dataDir, LAKE_FILE));
  db.prepare(
    `insert into models (id, kind, platform, learnt_at, learnt_until, samples, scores, parameters)
     values (3, 'video.list', 'tiktok', @at, @at, 300, '{"used":false}', x'00')`,
  ).run({ at: hoursAgo(1) });
  expect((await running.get('/forecasts/tiktok')).body).toMatchObject({ total: 0, items: [] });
  expect((await running.get('/videos/tt_2/growth')).body.forecast).toBeNull();
  expect(db.prepare('select count(*) from rising_next').pluck().get()).toBe(0);
  const then = await running.get(`/forecasts/tiktok?asOf=${isoOf(hoursAgo(2))}`);
  expect(then.body).toMatchObject({ total: 2 });
  db.exec('delete from models where id = 3');
  db.close();
});

test('a platform without forecasts is empty, an unknown one is 404, a wrong horizon 400', async () => {
  expect((await running.get('/forecasts/youtube')).body).toMatchObject({ total: 0, items: [] });
  expect((await running.get('/forecasts/myspace')).status).toBe(404);
  expect((await running.get('/forecasts/tiktok?horizon=5h')).status).toBe(400);
});

test('the overview lists rising videos, and the video page shows its forecast', async () => {
  const { dashboard } = running.service;
  const read = async (path: string) => (await fetch(new URL(path, dashboard))).text();
  expect(await read('/?platform=tiktok')).toContain('that will likely get there');
  expect(await read('/videos/tt_2')).toMatch(/id="forecast">\[\[\d+,100,200,400\]\]/);
});

test('hashtags have a forecast volume only if one was made', async () => {
  const { body } = await running.get('/hashtags');
  const [dance, food] = hashtagsResponse.parse(body).items;
  const forecast = { madeAt: isoOf(hoursAgo(2)), horizonHours: 168, median: 60, low: 40, high: 90 };
  expect(dance).toMatchObject({ tag: 'dance', volume: 50, forecast });
  expect(food).not.toHaveProperty('forecast');
});

test('the forecasts page shows rising videos, the track record and the training data', async () => {
  const { dashboard } = running.service;
  const read = async (path: string) => (await fetch(new URL(path, dashboard))).text();
  const now = await read('/forecasts');
  const next = now.slice(now.indexOf('id="next"'), now.indexOf('id="risen"'));
  expect(now.slice(now.indexOf('id="risen"'), now.indexOf('id="scores"'))).toContain('/tt_4"');
  expect([...next.matchAll(/href="\/videos\/(\w+)"/g)].map(([, id]) => id)).toEqual([
    'tt_2',
    'tt_1',
  ]);
  expect(next).toMatch(/90 %[\s\S]*200[\s\S]*100 to 400/);
  const scores = now.slice(now.indexOf('id="scores"'), now.indexOf('id="states"'));
  expect(scores).toMatch(/views in 24 h[\s\S]*<td class="n">1<\/td>/);
  expect(now).toContain('in use, from 300 finished curves');
  expect(now).toContain('#dance');
  const then = await read(`/forecasts?asOf=${isoOf(hoursAgo(10))}`);
  expect(then).toContain('20 %');
  expect(then).not.toContain('tt_2');
  const silent = await read('/forecasts?platform=youtube');
  expect(silent).toContain('No forecasts for this platform yet.');
  expect((await fetch(new URL('/forecasts?horizon=5h', dashboard))).status).toBe(400);
});
