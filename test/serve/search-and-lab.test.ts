import { beforeAll, expect, test } from 'vitest';
import { analysisResponse } from '../../src/base/wire/analysis-shapes.ts';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
const ids = async (query: string): Promise<unknown[]> =>
  (await running.get(`/search?${new URLSearchParams(query)}`)).body.items.map((item) => item.id);

beforeAll(async () => {
  running = await runService((into) => {
    into.video({
      id: 'tt_1',
      title: 'Street food in Łódź',
      user: 'cook',
      tags: ['food'],
      snapshots: [[hoursAgo(30), 5000]],
    });
    into.video({
      id: 'tt_2',
      title: 'food vlog',
      createdAt: hoursAgo(5),
      snapshots: [[hoursAgo(2), 50]],
    });
    into.video({ id: 'yt_3', title: '길에서 만난 food', snapshots: [[hoursAgo(2), null]] });
    for (let i = 0; i < 60; i++)
      into.video({
        id: `ig_${i}`,
        title: `cat ${i}`,
        snapshots: [
          [hoursAgo(40), i],
          [hoursAgo(4), 10 * i],
        ],
      });
  });
});

test('words are and-ed, -without leaves out, platform and dateRange narrow', async () => {
  expect(new Set(await ids('q=food'))).toEqual(new Set(['tt_1', 'tt_2', 'yt_3']));
  expect(await ids('q=food -vlog&platform=tiktok')).toEqual(['tt_1']);
  expect(await ids('q=food&dateRange=24h')).toEqual(['tt_2']);
  expect(await ids('q="street food"')).toEqual(['tt_1']);
});

test('pages carry ranks on and the true total', async () => {
  const { body } = await running.get('/search?q=cat&limit=25&page=3');
  expect(body).toMatchObject({ total: 60, page: 3 });
  expect(body.items).toHaveLength(10);
  expect(body.items[0]?.rank).toBe(51);
});

test('as of an instant what was not seen yet is not found', async () => {
  expect(await ids('q=food&asOf=2026-03-09T12:00:00Z')).toEqual(['tt_1']);
});

test('analyze answers with its shape; an unknown video is 404', async () => {
  const post = (id: string) =>
    running.get('/lab/analyze', {
      method: 'POST',
      body: JSON.stringify({ id }),
      headers: { authorization: `Bearer ${running.key}`, 'content-type': 'application/json' },
    });
  const { status, body } = await post('ig_59');
  expect(status).toBe(200);
  expect(analysisResponse.safeParse(body).error).toBeUndefined();
  expect(body.method).toBe('statistical');
  expect((await post('ig_nobody')).status).toBe(404);
});

test('growth carries its curve', async () => {
  const { body } = await running.get('/videos/ig_59/growth');
  expect((body.curve as { points: unknown[] }).points).toHaveLength(2);
});
