import { expect, test } from 'vitest';
import { type Ask, requestLine } from '../../src/api/ask.ts';
import { decodeAnswer } from '../../src/api/decode.ts';
import { HOUR_MS, isoOf } from '../../src/clock.ts';
import type { Lake } from '../../src/lake/open.ts';
import { loadAnswer } from '../../src/load/load-answer.ts';
import { type LoadCounts, rowsChanged } from '../../src/load/tally.ts';
import { freshLake } from '../support/fresh.ts';
import { countOf } from '../support/lake-rows.ts';

const AT = Date.UTC(2026, 2, 1, 12);
const ASK: Ask = {
  kind: 'feed',
  platform: 'tiktok',
  dateRange: '24h',
  limit: 100,
  page: 1,
  offset: 0,
};

interface Item {
  id: string;
  views: number;
  title?: string;
}

/** Loads a feed of these items as answered at an instant, to a call of its own. */
const loadFeed = (lake: Lake, items: readonly Item[], at: number): LoadCounts => {
  const request = requestLine(ASK);
  const callId = Number(
    lake.sqlite
      .prepare("insert into calls (job, request, sent_at, sender) values ('feed', ?, ?, 'test')")
      .run(request, at).lastInsertRowid,
  );
  const body = Buffer.from(JSON.stringify({ total: items.length, items, asOf: isoOf(at) }));
  const answer = { status: 200, headers: {}, body };
  const decoded = decodeAnswer(ASK, answer);
  const item = { runId: null, job: 'feed', request, ask: ASK, callId, attempts: 1 };
  return loadAnswer(lake, { ...item, answer, decoded, receivedAt: at });
};

test('a call tells how many rows its answer changed, rows of videos known before among them', () => {
  const lake = freshLake();
  const items = [
    { id: 'tt_1', views: 10, title: 'one #tag' },
    { id: 'tt_2', views: 20 },
  ];
  const looks = [
    loadFeed(lake, items, AT),
    loadFeed(lake, [{ id: 'tt_1', views: 11 }], AT + HOUR_MS),
    loadFeed(lake, [{ id: 'tt_1', views: 11 }], AT + HOUR_MS),
  ];
  expect(looks[1]?.videos).toEqual({ inserted: 0, updated: 1, unchanged: 0 });
  expect(looks.map(rowsChanged)).toEqual([2 + 2 + 2 + 2, 1 + 1 + 1, 0]);
  const told = lake.sqlite.prepare('select rows_changed from calls order by id').pluck().all();
  expect(told).toEqual(looks.map(rowsChanged));
});

test('a page of any length, with one video twice and ids of any text, loads as item by item', () => {
  const many = Array.from({ length: 250 }, (_, i) => ({
    id: `tt_${i}`,
    views: i,
    title: `#t${i % 7}`,
  }));
  const odd = ['tt_a\0b', "tt_'; --", 'tt_é', 'tt_e\u0301', 'tt_%_'].map((id) => ({
    id,
    views: 5,
  }));
  const items = [...many, ...odd, { id: 'tt_3', views: 3, title: '#t1 #more' }];
  const lake = freshLake();
  loadFeed(lake, items.slice(0, 120), AT - HOUR_MS);
  const counts = loadFeed(lake, items, AT);
  expect(counts.videos).toEqual({ inserted: 135, updated: 1, unchanged: 119 });
  expect(counts.video_snapshots).toEqual({ inserted: 255, updated: 0, unchanged: 1 });
  expect(rowsChanged(loadFeed(lake, items, AT))).toBe(0);
  expect(countOf(lake, "select count(*) from videos where title = '#t1 #more'")).toBe(1);
  expect(countOf(lake, "select count(*) from video_hashtags where video_id = 'tt_3'")).toBe(3);
  expect(countOf(lake, 'select count(*) from videos')).toBe(255);
});
