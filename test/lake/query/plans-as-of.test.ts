import { beforeAll, describe, expect, test } from 'vitest';
import { type Lake, openLakeForReading } from '../../../src/lake/open.ts';
import { readCookbook } from '../../../src/lake/query/dictionary.ts';
import { showLakeAsOf } from '../../../src/lake/query/lake-as-of.ts';
import { NOW } from '../../serve/filled-lake.ts';
import { freshDataDir } from '../../support/fresh.ts';

let plain: Lake;
let then: Lake;
beforeAll(() => {
  const dataDir = freshDataDir();
  plain = openLakeForReading(dataDir);
  then = openLakeForReading(dataDir);
  showLakeAsOf(then.sqlite, NOW);
  return () => {
    plain.close();
    then.close();
  };
});

const steps = ({ sqlite }: Lake, sql: string): string[] =>
  (sqlite.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(
    ({ detail }) => detail,
  );

/** Steps that read or build something whole, by what they do. */
const whole = (lake: Lake, sql: string): Record<string, number> => {
  const found = { SCAN: 0, MATERIALIZE: 0, 'CO-ROUTINE': 0, AUTOMATIC: 0 };
  for (const step of steps(lake, sql))
    for (const name of Object.keys(found) as (keyof typeof found)[])
      if (step.includes(name)) found[name] += 1;
  return found;
};

describe('a question of the cookbook reads nothing whole that it does not read whole now', () => {
  test.each(readCookbook())('$question', ({ sql }) => {
    const now = whole(plain, sql);
    for (const [step, count] of Object.entries(whole(then, sql)))
      expect(`${step}: ${Math.max(0, count - (now[step] ?? 0))} more`).toBe(`${step}: 0 more`);
  });
});

test.each([
  "select * from videos where id = 'tt_1'",
  "select * from videos where platform = 'tiktok'",
  'select * from videos where created_at > 0',
  'select * from videos where first_seen_at > 0',
  "select * from video_snapshots where video_id = 'tt_1' and observed_at > 0",
  'select * from video_snapshots where observed_at > 0',
  "select * from rankings where video_id = 'tt_1'",
  "select * from rankings where platform = 'tiktok' and captured_at > 0",
  "select * from hashtag_snapshots where tag = 'fyp'",
  'select * from hashtag_snapshots where observed_at > 0',
  "select * from video_hashtags where video_id = 'tt_1'",
  "select * from video_hashtags where tag = 'fyp'",
  "select * from creators where platform = 'tiktok' and handle = 'ann'",
  "select * from creator_snapshots where platform = 'tiktok' and handle = 'ann'",
  "select * from forecasts where video_id = 'tt_1'",
  "select * from events where platform = 'tiktok' and occurred_at > 0",
  'select * from calls where run_id = 1',
  "select * from video_history where id = 'tt_1'",
  "select v.id, v.title from watches w left join videos v on v.id = w.subject where w.id = 'w_1'",
])('no table is read from end to end: %s', (sql) => {
  const isRead = (step: string): boolean =>
    /^SCAN /.test(step) && !/^SCAN (\(subquery|CONSTANT|video_history$)/.test(step);
  expect(steps(then, sql).filter(isRead)).toEqual(steps(plain, sql).filter(isRead));
  expect(steps(then, sql).join('\n')).not.toMatch(/AUTOMATIC|MATERIALIZE/);
});
