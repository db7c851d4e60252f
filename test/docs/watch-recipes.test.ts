import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/base/durations.ts';
import { addWatch } from '../../src/lake/watches/watches.ts';
import { filler, NOW } from '../serve/filled-lake.ts';
import { fillPages } from '../serve/page-lake.ts';
import { freshLake } from '../support/fresh.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/watches.md', import.meta.url), 'utf8');
const RECIPES = [...GUIDE.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql);

/** A client with a creator, a hashtag and a search that found a video. */
const clientLake = () => {
  const lake = freshLake();
  const into = filler(lake);
  into.transaction(() => {
    fillPages(into);
    into.pulled({
      list: 'trends',
      platform: 'tiktok',
      period: 'week',
      at: NOW,
      total: 1,
      ranks: [{ rank: 1, id: 'tt_3' }],
    });
  });
  const wish = { everyMs: DAY_MS, note: null, until: null, tags: ['acme'] };
  addWatch(lake, { ...wish, kind: 'creator', platform: 'tiktok', subject: 'mira' }, NOW);
  const found = addWatch(lake, { ...wish, kind: 'search', platform: null, subject: 'ramen' }, NOW);
  lake.sqlite
    .prepare('insert into search_hit (watch_id, captured_at, rank, video_key) values (?, ?, 1, ?)')
    .run(found.id, NOW, into.keyOf('tt_1'));
  return lake;
};

test('each recipe of the guide has an answer', () => {
  const { sqlite } = clientLake();
  expect(RECIPES.length).toBeGreaterThanOrEqual(6);
  for (const sql of RECIPES)
    expect([sql, sqlite.prepare(sql).all().length > 0]).toEqual([sql, true]);
});
