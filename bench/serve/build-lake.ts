import { PLATFORM_PREFIXES, PLATFORMS, sourceCode } from '../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { openLake } from '../../src/lake/open.ts';
import { refreshSearch } from '../../src/lake/search/search-index.ts';

/** The instant the bench's lakes end at. */
export const END_AT = Date.UTC(2026, 10, 1);
/** Span over which their videos were seen. */
const SPAN_MS = 400 * DAY_MS;
const TAGS = 20_000;
const TAGS_PER_VIDEO = 4;
const PULLED_DEPTH = 5000;
/** The creator with many videos. */
export const BUSY_CREATOR = 'busy';
const BUSY_VIDEOS = 1000;

/** 0 <= r < 1, the same for the same seed (mulberry32). */
const randomOf = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

/**
 * Fills a new lake: `videos` videos seen over 400 days, `snapshots` each, at decaying rates, 4 tags each,
 * and a pulled TikTok feed of 5,000 places: in bulk, past the loader.
 */
export const buildLake = (dataDir: string, videos: number, snapshots: number): void => {
  const random = randomOf(7);
  const lake = openLake(dataDir);
  const { sqlite } = lake;
  sqlite.pragma('synchronous = OFF');
  const insertVideo = sqlite.prepare(
    `insert into video (key, id, platform, title, user, views, likes, created_at, first_seen_at, extra)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, '{"durationSec":31}')`,
  );
  const insertSnapshot = sqlite.prepare(
    `insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source) values (?, ?, ?, ?, 1, ?)`,
  );
  const insertTag = sqlite.prepare(
    'insert into hashtag (key, tag, folded, first_seen_at) values (?, ?, ?, 0)',
  );
  const insertLink = sqlite.prepare('insert or ignore into video_hashtag values (?, ?, ?)');
  sqlite.exec('begin');
  for (let key = 1; key <= TAGS; key++) insertTag.run(key, `tag${key}`, `tag${key}`);
  for (let key = 1; key <= videos; key++) {
    const platform = PLATFORMS[key % PLATFORMS.length] as (typeof PLATFORMS)[number];
    const seenAt = Math.round(END_AT - SPAN_MS + (key / videos) * SPAN_MS - random() * DAY_MS);
    const size = Math.round(10 ** (3 + 4 * random()));
    const user =
      key > videos - 3 * BUSY_VIDEOS && key % 3 === 0
        ? BUSY_CREATOR
        : `user${Math.floor((random() * videos) / 5)}`;
    insertVideo.run(
      key,
      `${PLATFORM_PREFIXES[platform]}_${key}`,
      platform,
      `video number ${key} about ${key % 997} things #tag${key % 100}`,
      user,
      size,
      Math.round(size / 20),
      seenAt - 6 * HOUR_MS,
      seenAt,
    );
    for (let snapshot = 0; snapshot < snapshots; snapshot++) {
      const at = seenAt + Math.round(snapshot * (8 + 8 * random()) * HOUR_MS);
      if (at > END_AT) break;
      const views = Math.round(size * (1 - 0.9 / (1 + snapshot)));
      insertSnapshot.run(key, at, views, Math.round(views / 20), sourceCode('feed'));
    }
    for (let position = 0; position < TAGS_PER_VIDEO; position++)
      insertLink.run(key, 1 + Math.floor(random() ** 3 * TAGS), position);
    if (key % 50_000 === 0) sqlite.exec('commit; begin');
  }
  const capture = sqlite
    .prepare(
      `insert into capture (list, platform, period, captured_at, completed_at, total) values ('feed', 'tiktok', '24h', ?, ?, ?)`,
    )
    .run(END_AT - HOUR_MS, END_AT - HOUR_MS, PULLED_DEPTH).lastInsertRowid;
  const tiktok = sqlite
    .prepare(`select key from video where platform = 'tiktok' order by key desc limit ?`)
    .pluck()
    .all(PULLED_DEPTH) as number[];
  const insertRank = sqlite.prepare(
    'insert into ranking (capture_key, rank, video_key, score, velocity) values (?, ?, ?, ?, ?)',
  );
  for (const [index, key] of tiktok.entries()) insertRank.run(capture, index + 1, key, 1, 100);
  sqlite.exec('commit');
  sqlite.transaction(() => refreshSearch(lake)).immediate();
  lake.close();
};
