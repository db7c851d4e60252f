import { beforeAll, expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;

beforeAll(async () => {
  running = await runService((into) => {
    for (const id of ['tt_a', 'tt_b', 'tt_c'])
      into.video({
        id,
        title: `clip ${id}`,
        user: id === 'tt_a' ? 'mira' : 'cook',
        createdAt: hoursAgo(60),
        snapshots: [
          [hoursAgo(50), 500, 50],
          [hoursAgo(2), 5000, 500],
        ],
      });
    const list = { list: 'trends', platform: 'tiktok', period: 'week', total: 2 } as const;
    const ranks = (...ids: string[]) => ids.map((id, index) => ({ rank: index + 1, id }));
    into.pulled({ ...list, at: hoursAgo(30), ranks: ranks('tt_a', 'tt_b') });
    into.pulled({ ...list, at: hoursAgo(3), ranks: ranks('tt_b', 'tt_c') });
    into.creator({
      platform: 'tiktok',
      handle: 'mira',
      snapshots: [
        [hoursAgo(40), 100],
        [hoursAgo(4), 140],
      ],
    });
  });
});

const get = async (path: string): Promise<string> =>
  (await fetch(new URL(path, running.service.dashboard))).text();

test('/diff shows what entered, left and moved since yesterday, and as a file', async () => {
  const page = await get('/diff');
  expect(page).toMatch(/1 entered, 1 left, 1 climbed, 0 fell, 0 kept/);
  expect(page).toMatch(
    /Entered[\s\S]*clip tt_c[\s\S]*Climbed[\s\S]*clip tt_b[\s\S]*Left[\s\S]*clip tt_a/,
  );
  const csv = await get('/diff?format=csv&list=week');
  expect(csv.split('\r\n').slice(0, 2)).toEqual([
    'list,platform,change,id,title,user,previous_rank,rank',
    'week,tiktok,entered,tt_c,clip tt_c,cook,,2',
  ]);
  expect(await get('/diff?platform=youtube')).toContain('No list of YouTube was pulled by then');
});

test('/compare shows creators side by side and names who is not in the lake', async () => {
  expect(await get('/compare')).toContain('Name two or more creators');
  const page = await get('/compare?handles=@mira,@cook,@ghost&platform=tiktok');
  expect(page).toMatch(/followers<\/th><td class="n">140<\/td><td class="n">–/);
  expect(page).toMatch(/videos<\/th><td class="n">1<\/td><td class="n">2/);
  expect(page).toContain('The lake knows no creator <bdi>@ghost</bdi>');
  const csv = await get('/compare?handles=mira,cook&platform=tiktok&format=csv');
  expect(csv).toMatch(/^platform,handle,followers,followers_gained,videos/);
  const { status } = await fetch(
    new URL('/compare?handles=a,b,c,d,e,f,g', running.service.dashboard),
  );
  expect(status).toBe(400);
});
