import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Lake, openLake } from '../../src/lake/open.ts';

interface Step {
  detail: string;
}

let lake: Lake;
beforeAll(() => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-'));
  lake = openLake(dataDir);
  return () => {
    lake.close();
    rmSync(dataDir, { recursive: true });
  };
});

const steps = (sql: string): string[] =>
  (lake.sqlite.prepare(`explain query plan ${sql}`).all() as Step[]).map(({ detail }) => detail);

/** The tables a query reads from end to end. */
const scans = (sql: string): string[] => {
  return steps(sql).filter(
    (detail) => /^SCAN /.test(detail) && !/^SCAN (\(subquery|CONSTANT|video_history$)/.test(detail),
  );
};

// The promise of the contract: filters on video_id, platform, tag and time use an index.
describe('no table is read whole to answer', () => {
  test.each([
    "select * from videos where id = 'tt_1'",
    "select * from videos where platform = 'tiktok'",
    'select * from videos where created_at > 0',
    'select * from videos where first_seen_at > 0',
    "select * from video_snapshots where video_id = 'tt_1'",
    "select * from video_snapshots where video_id = 'tt_1' and observed_at > 0",
    'select * from video_snapshots where observed_at > 0',
    "select * from rankings where video_id = 'tt_1'",
    "select * from rankings where platform = 'tiktok' and captured_at > 0",
    "select * from rankings where list = 'feed' and platform = 'tiktok' and period = '24h' and captured_at = 5",
    'select * from rankings where captured_at > 0',
    "select * from hashtags where tag = 'fyp'",
    "select * from hashtag_snapshots where tag = 'fyp'",
    "select * from hashtag_snapshots where platform = 'tiktok'",
    'select * from hashtag_snapshots where observed_at > 0',
    "select * from video_hashtags where video_id = 'tt_1'",
    "select * from video_hashtags where tag = 'fyp'",
    "select * from creators where platform = 'tiktok' and handle = 'ann'",
    "select * from creators where platform = 'tiktok'",
    "select * from creator_snapshots where platform = 'tiktok' and handle = 'ann'",
    'select * from creator_snapshots where observed_at > 0',
    "select * from analyses where video_id = 'tt_1'",
    'select * from events where occurred_at > 0',
    'select * from events where detected_at > 0',
    "select * from events where platform = 'tiktok' and occurred_at > 0",
    'select * from analyses where generated_at > 0',
    'select * from drift where first_seen_at > 0',
    'select * from runs where started_at > 0',
    'select * from runs where finished_at > 0',
    'select * from runs where heartbeat_at > 0',
    "select * from run_items where run_id = 1 and state = 'failed'",
    'select * from calls where sent_at > 0',
    'select * from calls where finished_at > 0',
    'select * from calls where run_id = 1',
    "select * from video_history where id = 'tt_1'",
    "select * from hashtag_history where tag = 'fyp'",
    "select * from creator_history where platform = 'tiktok' and handle = 'ann'",
  ])('%s', (sql) => expect(scans(sql)).toEqual([]));

  test('the current lists read the snapshots, not their earlier results', () => {
    for (const view of ['feed_now', 'trends_now'])
      for (const scan of scans(`select * from ${view} where platform = 'tiktok'`))
        expect(scan).toMatch(/^SCAN (c|n)\b/);
  });
});

describe('what is counted whole is read subject by subject, what is filtered by time is not', () => {
  test.each([
    ['video_snapshots', /^SCAN v USING COVERING INDEX/, /^SEARCH s USING PRIMARY KEY/],
    ['video_hashtags', /^SCAN v USING COVERING INDEX/, /^SEARCH vh USING PRIMARY KEY/],
    ['creator_snapshots', /^SCAN c USING COVERING INDEX/, /^SEARCH s USING PRIMARY KEY/],
  ])('%s', (view, outer, inner) => {
    const [first, second] = steps(`select count(*) from ${view}`);
    expect(first).toMatch(outer);
    expect(second).toMatch(inner);
  });

  test.each([
    'select video_id, max(views) from video_snapshots where observed_at > 5 group by 1',
    'select * from video_snapshots where observed_at > 5 order by video_id, observed_at',
    'select * from video_snapshots order by observed_at desc limit 10',
    'select * from creator_snapshots where observed_at > 5 order by handle',
  ])('%s', (sql) => expect(steps(sql)[0]).toMatch(/^(SEARCH|SCAN) s USING INDEX .*_observed_at/));
});

test('every table is STRICT, those keyed by several columns are clustered by them', () => {
  const { sqlite } = lake;
  const tables = sqlite
    .prepare(
      "select name, strict, wr from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'",
    )
    .all() as { name: string; strict: number; wr: number }[];
  expect(tables.length).toBeGreaterThan(20);
  for (const { name, strict, wr } of tables) {
    const keys = sqlite
      .prepare('select count(*) from pragma_table_info(?) where pk > 0')
      .pluck()
      .get(name) as number;
    expect({ name, strict, clustered: wr }).toEqual({
      name,
      strict: 1,
      clustered: keys > 1 ? 1 : 0,
    });
  }
});

test('what the contract names is there, with the columns queries rely on', () => {
  const { sqlite } = lake;
  const promised: Record<string, string> = {
    videos:
      'id platform title user views likes engagement_rate created_at first_seen_at last_seen_at extra',
    video_snapshots: 'video_id observed_at views likes engagement_rate source',
    rankings: 'list platform period captured_at rank video_id total run_id',
    hashtags: 'tag volume views',
    hashtag_snapshots: 'tag platform observed_at volume views',
    video_hashtags: 'video_id tag',
    creators: 'platform handle followers video_count views likes',
    creator_snapshots: 'platform handle observed_at followers video_count views likes',
    analyses: 'video_id generated_at method result',
    events: 'id kind platform subject occurred_at detected_at origin data',
    runs: 'id started_at finished_at outcome heartbeat_at summary',
    run_items: 'run_id job request state attempts error',
    calls: 'id run_id job request sent_at finished_at status error',
    responses: 'call_id body',
    rejected_items: 'id call_id reason item',
    drift: 'resource field first_seen_at sample',
  };
  for (const [table, columns] of Object.entries(promised))
    sqlite.prepare(`select ${columns.split(' ').join(', ')} from ${table}`).all();
  for (const view of [
    'feed_now',
    'trends_now',
    'video_history',
    'hashtag_history',
    'creator_history',
    'fresh_videos',
    'events_recent',
  ])
    sqlite.prepare(`select * from ${view}`).all();
});
