import { beforeAll, expect, test } from 'vitest';
import { csvField } from '../../src/base/csv.ts';
import { type Filler, hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

const FORMULAS = ['=HYPERLINK("http://x")', '+cmd|x', '-1+1', '@SUM(A1)', '\n=1', ' =1', '＝1'];

const fill = (into: Filler): void => {
  FORMULAS.forEach((title, n) => {
    const snapshots = [[hoursAgo(2), 1000 - n, 1]] as const;
    into.video({
      id: `tt_${n}`,
      title: `${title} clip`,
      user: '=evil()',
      tags: ['dance'],
      snapshots,
    });
  });
  const ranks = FORMULAS.map((_, n) => ({ rank: n + 1, id: `tt_${n}` }));
  const feed = { list: 'feed', platform: 'tiktok', period: '24h' } as const;
  into.pulled({ ...feed, at: hoursAgo(2), total: FORMULAS.length, ranks });
};

let running: Running;
beforeAll(async () => {
  running = await runService(fill);
});

test.each(['/trends/tiktok', '/hashtags/dance?table=videos', '/search?q=clip'])(
  'no field of the CSV of %s is a formula',
  async (path) => {
    const address = `${path}${path.includes('?') ? '&' : '?'}format=csv`;
    const text = await (await fetch(new URL(address, running.service.dashboard))).text();
    for (const title of FORMULAS) expect(text).toContain(csvField(`'${title} clip`));
    expect(text).toContain(",'=evil(),");
  },
);
