import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { lakeIdOf } from '../../../src/lake/meta.ts';
import { type Lake, openLake } from '../../../src/lake/open.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { PARQUET_TABLES } from '../../../src/output/parquet/parquet-tables.ts';
import { openTestLake } from '../../support/test-lake.ts';

/** 2026-03-01T12:00:00.123Z */
export const NOON_AT = Date.UTC(2026, 2, 1, 12, 0, 0, 123);
export const GREATEST = Number.MAX_SAFE_INTEGER;

/** Titles that have broken readers: emoji at the start, empty, newlines, right to left, NUL, long. */
export const TITLES: readonly (string | null)[] = [
  '😀 first',
  '😀 first',
  '',
  null,
  'two\nlines\r\n and a "quote", a comma',
  'مرحبا بالعالم #عربي',
  'café e\u0301 Ⅷ ｆｕｌｌ',
  `${'long 🔥 '.repeat(5000)}end`,
  'before\u0000after',
  '￿ above the surrogates',
];

type AtEnd = (clean: () => void) => void;

const freshFolder = (atEnd: AtEnd): string => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-export-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export const addSnapshot = (
  lake: Lake,
  videoKey: number,
  at: number,
  views: number | null = 1,
): void => {
  lake.sqlite
    .prepare(
      'insert into video_snapshot (video_key, observed_at, views, likes, engagement_rate, rate_derived, source, extra) values (?, ?, ?, ?, ?, 0, 2, null)',
    )
    .run(videoKey, at, views, views === null ? null : 3, views === null ? null : 0.1 + 0.2);
};

/**
 * Every exported table with rows of every awkward kind, over three days: by direct inserts, because no
 * stage writes such states (a creator whose row and counts differ, a model of one byte).
 */
const fillLake = (lake: Lake): void => {
  const { sqlite } = lake;
  TITLES.forEach((title, i) => {
    sqlite
      .prepare(
        'insert into video (key, id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at, extra) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        i + 1,
        `tt_${String((i * 7) % 10)}`,
        'tiktok',
        title,
        i % 2 === 0 ? 'ünï.code' : null,
        i === 0 ? GREATEST : i,
        i % 3 === 0 ? null : 0,
        i === 1 ? 1 / 3 : null,
        i === 2 ? -86_400_001 : NOON_AT - i,
        NOON_AT,
        i === 4 ? '{"odd":{"views":-1}}' : null,
      );
    for (const day of [0, 1, 2])
      addSnapshot(lake, i + 1, NOON_AT + day * 86_400_000 + i, i === 3 ? null : GREATEST - i);
  });
  sqlite.exec(`
    insert into hashtag (key, tag, folded, first_seen_at) values
      (1, 'b', 'b', ${NOON_AT}), (2, 'A', 'a', ${NOON_AT}), (3, '東京', '東京', ${NOON_AT});
    insert into video_hashtag (video_key, hashtag_key, position) values (1, 1, 0), (1, 2, 1), (2, 3, 0);
    insert into hashtag_snapshot (hashtag_key, platform, observed_at, volume, views, change, rank, source, extra) values
      (1, '', ${NOON_AT}, 5, null, -0.25, 1, 6, null), (2, 'tiktok', ${NOON_AT}, null, 9, null, null, 6, '{}');
    insert into creator (key, platform, handle, followers, video_count, views, likes, engagement_rate, first_seen_at, extra)
      values (1, 'youtube', 'Nürnberg 😀', 12, null, ${GREATEST}, 0, 2.5, ${NOON_AT}, null);
    insert into creator_snapshot (creator_key, observed_at, followers, video_count, views, likes, source, extra)
      values (1, ${NOON_AT}, 12, null, 1, null, 4, null);
    insert into capture (key, list, platform, period, captured_at, completed_at, total, run_id)
      values (1, 'feed', '', '24h', ${NOON_AT}, ${NOON_AT + 5}, null, 7);
    insert into ranking (capture_key, rank, video_key, score, velocity) values (1, 1, 2, 1e300, null), (1, 2, 1, null, 5e-324);
    insert into events (id, kind, platform, subject, occurred_at, detected_at, origin, data)
      values ('e1', 'trend.spike', null, 'video:tt_0', ${NOON_AT}, ${NOON_AT + 1}, 'trendlake', '{"a":1}');
    insert into models (id, kind, platform, learnt_at, learnt_until, samples, scores, parameters)
      values (1, 'video.feed', 'tiktok', ${NOON_AT}, ${NOON_AT}, 200, '{}', x'00');
    insert into forecast (video_key, made_at, horizon_hours, views_median, views_low, views_high, top_probability, model_id)
      values (1, ${NOON_AT}, 6, null, null, null, 0.1, 1), (1, ${NOON_AT}, 24, ${GREATEST}, 0, ${GREATEST}, 0.1, 1);
    insert into hashtag_forecast (hashtag_key, platform, made_at, horizon_hours, volume_median, volume_low, volume_high, model_id)
      values (1, '', ${NOON_AT}, 168, ${GREATEST}, 0, ${GREATEST}, 1);
  `);
};

/** A separate filled lake; `atEnd` receives a function that closes and removes it. */
export const filledLake = (atEnd: AtEnd = onTestFinished): Lake => {
  const lake = openTestLake(freshFolder(atEnd));
  atEnd(() => lake.close());
  fillLake(lake);
  return lake;
};

const makeExportedLake = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-exported-'));
  const lake = openTestLake(folder);
  fillLake(lake);
  await exportLake(lake, { clock: virtualClock(NOON_AT) });
  lake.close();
  return folder;
};
let exported: Promise<string> | undefined;

/** A separate filled lake, exported at `NOON_AT`: a copy of one made once a process. */
export const exportedLake = async (atEnd: AtEnd = onTestFinished): Promise<Lake> => {
  exported ??= makeExportedLake();
  const dataDir = freshFolder(atEnd);
  cpSync(await exported, dataDir, { recursive: true, preserveTimestamps: true });
  const lake = openLake(dataDir);
  const copiedId = lakeIdOf(lake);
  lake.sqlite.exec("delete from meta where key = 'lake_id'"); // each copy is another lake
  const manifest = join(dataDir, 'parquet', 'manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(copiedId, lakeIdOf(lake)));
  atEnd(() => lake.close());
  return lake;
};

/** Rows of a table as SQLite has them, in the order a file has. */
export const sqliteRows = (lake: Lake, name: string): unknown[][] => {
  const table = PARQUET_TABLES.find((candidate) => candidate.name === name);
  if (table === undefined) throw new Error(`no table ${name}`);
  const date = table.dateColumn === undefined ? '' : `"${table.dateColumn}" / 86400000, `;
  return lake.sqlite
    .prepare(
      `select ${table.columns.map((c) => c.name).join(', ')} from ${name} order by ${date}${table.key.map((k) => `${k} collate binary`).join(', ')}`,
    )
    .raw()
    .all() as unknown[][];
};
