import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/lake/migrate.ts';
import { freshFolder } from '../support/fresh.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'schema', 'migrations');

/** A lake as version 0.1.0 made it, filled by `sql`, then led to the present schema. */
const ledForward = (sql: string): Database.Database => {
  const released = freshFolder();
  copyFileSync(join(MIGRATIONS, '0000_lake.sql'), join(released, '0000_lake.sql'));
  const path = join(freshFolder(), 'lake.db');
  const sqlite = new Database(path);
  onTestFinished(() => void sqlite.close());
  migrate(sqlite, path, { folder: released });
  sqlite.exec(sql);
  migrate(sqlite, path);
  return sqlite;
};

test('lists whose run had pages left are half a list, all others whole', () => {
  const sqlite = ledForward(`
    insert into runs (id, started_at, jobs, heartbeat_at, outcome) values
      (1, 0, '[]', 0, 'complete'), (2, 0, '[]', 0, 'paused');
    insert into capture (key, list, platform, period, captured_at, completed_at, run_id) values
      (1, 'feed', 'tiktok', '24h', 10, 11, 1), (2, 'feed', 'tiktok', '24h', 20, 20, 2),
      (3, 'feed', 'youtube', '24h', 20, 21, 2), (4, 'trends', 'tiktok', 'day', 20, 20, 2),
      (5, 'trends', 'tiktok', 'week', 20, 20, 2), (6, 'hashtags', '', '30d', 20, 20, 2),
      (7, 'feed', 'tiktok', '24h', 5, 5, null);
    insert into run_items (run_id, job, request, ask, state, attempts, position) values
      (1, 'feed', 'GET /feed/tiktok?dateRange=24h&limit=100&page=2', '{}', 'done', 1, 1),
      (2, 'feed', 'GET /feed/tiktok?dateRange=24h&limit=100&page=2', '{}', 'planned', 0, 2),
      (2, 'feed', 'GET /feed/youtube?dateRange=24h&limit=100&page=2', '{}', 'done', 1, 3),
      (2, 'trends', 'GET /trends/tiktok/day?limit=100&page=2', '{}', 'failed', 3, 4),
      (2, 'trends', 'GET /trends/tiktok/week?limit=100&page=1', '{}', 'done', 1, 5),
      (2, 'hashtags', 'GET /hashtags?dateRange=30d&limit=100&page=2', '{}', 'planned', 0, 6);
  `);
  const whole = sqlite
    .prepare('select key from capture where completed_at is not null order by key')
    .pluck();
  expect(whole.all()).toEqual([1, 3, 5, 7]);
  expect(sqlite.prepare('select count(*) from rankings').pluck().get()).toBe(0);
});

test('a volume that was pulled states the window of its list; an imported one none', () => {
  const sqlite = ledForward(`
    insert into capture (list, platform, period, captured_at, completed_at) values
      ('hashtags', '', '30d', 10, 12), ('hashtags', '', '7d', 20, 20);
    insert into hashtag (key, tag, folded) values (1, 'a', 'a');
    insert into hashtag_snapshot (hashtag_key, platform, observed_at, volume, source) values
      (1, '', 11, 5, 6), (1, 'tiktok', 12, 4, 6), (1, '', 20, 2, 6), (1, 'tiktok', 11, 9, 5);
  `);
  const windows = sqlite.prepare(
    'select platform, observed_at, window from hashtag_snapshots order by 1, 2',
  );
  expect(windows.raw().all()).toEqual([
    ['', 11, '30d'],
    ['', 20, '7d'],
    ['tiktok', 11, null],
    ['tiktok', 12, '30d'],
  ]);
  expect(sqlite.prepare('select volume, window from hashtags').raw().all()).toEqual([[2, '7d']]);
});

test('what imports brought is spanned by the snapshots that came by them', () => {
  const sqlite = ledForward(`
    insert into video (key, id, platform) values (1, 'tt_1', 'tiktok');
    insert into video_snapshot (video_key, observed_at, views, rate_derived, source) values
      (1, 10, 1, 0, 0), (1, 20, 2, 0, 5), (1, 30, 3, 0, 5), (1, 40, 4, 0, 2);
    insert into import_progress (path, fingerprint, lines) values ('/in/snapshots.ndjson', 'x', 2);
  `);
  const span = sqlite.prepare('select oldest_at, newest_at from import_progress').raw();
  expect(span.all()).toEqual([[20, 30]]);
});

test('every handle that was ever written is found by the one form of its spellings', () => {
  const sqlite = ledForward(`
    insert into video (key, id, platform, user, first_seen_at) values
      (1, 'tt_1', 'tiktok', '@Ada', 5), (2, 'tt_2', 'tiktok', 'ZOË', 5), (3, 'tt_3', 'tiktok', null, 5);
    insert into video_revision (video_key, until_at, user) values (1, 9, 'Before'), (2, 9, null);
    insert into creator (platform, handle, first_seen_at) values ('tiktok', 'ada', 5);
  `);
  const spellings = sqlite.prepare('select folded, handle from handle_spelling order by 1, 2');
  expect(spellings.raw().all()).toEqual([
    ['ada', '@Ada'],
    ['ada', 'ada'],
    ['before', 'Before'],
    ['zoë', 'ZOË'],
  ]);
});

test('a video keeps its hashtags before its words changed, but those that a later title brought', () => {
  const sqlite = ledForward(`
    insert into video (key, id, platform, title) values (1, 'tt_1', 'tiktok', 'Third #Other #pulled');
    insert into video_revision (video_key, until_at, title) values
      (1, 10, 'First #One'), (1, 20, 'Second #two_b'), (1, 30, null);
    insert into hashtag (key, tag, folded) values
      (1, 'one', 'one'), (2, 'two_b', 'two_b'), (3, 'other', 'other'), (4, 'listed', 'listed');
    insert into video_hashtag (video_key, hashtag_key, position) values
      (1, 1, 1), (1, 2, 2), (1, 3, 0), (1, 4, 3);
  `);
  const tags = sqlite.prepare('select until_at, tags from video_revision order by 1').raw();
  expect(tags.all()).toEqual([
    [10, '1,4'],
    [20, '1,2,4'],
    [30, '1,2,4'],
  ]);
});
