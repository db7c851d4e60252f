import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PLATFORM_PREFIXES, PLATFORMS, type Platform } from '../../schema/vocabulary.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/base/durations.ts';
import type { Lake } from '../../src/lake/open.ts';
import { refreshSearch } from '../../src/lake/search/search-index.ts';

/** First instant of a bench lake, and the time between two of its videos. */
export const BENCH_START_AT = Date.UTC(2025, 0, 1);
export const BENCH_STEP_MS = MINUTE_MS / 2;
const PAGE_ROWS = 100;

interface Words {
  readonly platform: Platform;
  readonly title: string | null;
  readonly user: string | null;
  readonly tags: readonly string[];
}

const madeUp = (): Words[] =>
  Array.from({ length: 50_000 }, (_, i) => ({
    platform: PLATFORMS[i % 3] as Platform,
    title: `video ${i % 7} about word${i % 997} and rare${i} #tag${i % 50}`,
    user: `maker${i % 5000}`,
    tags: [`tag${i % 50}`],
  }));

/** Titles, handles and tags of real videos where `folder` holds them, else made-up ones. */
export const benchWords = (folder: string): Words[] => {
  const path = join(folder, 'videos.ndjson.gz');
  if (!existsSync(path)) return madeUp();
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const video = JSON.parse(line) as Words;
      return { ...video, tags: (video.tags ?? []).slice(0, 15) };
    });
};

/** Fills a lake with `size` videos and one or two snapshots each, a page of 100 in a transaction. */
export const fillBenchLake = (lake: Lake, words: readonly Words[], size: number): void => {
  const { sqlite } = lake;
  const video = sqlite.prepare(
    'insert into video (key, id, platform, title, user, views, likes, created_at, first_seen_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const tag = sqlite
    .prepare(
      'insert into hashtag (tag, folded, first_seen_at) values (?, ?, ?) on conflict do update set folded = folded returning key',
    )
    .pluck();
  const link = sqlite.prepare('insert or ignore into video_hashtag values (?, ?, ?)');
  const snapshot = sqlite.prepare(
    'insert into video_snapshot values (?, ?, ?, ?, null, 1, 5, null)',
  );
  const tagKeys = new Map<string, number>();
  const put = (key: number): void => {
    const { platform, title, user, tags } = words[(key * 7919) % words.length] as Words;
    const at = BENCH_START_AT + key * BENCH_STEP_MS;
    const views = Math.floor(10 ** (2 + ((key * 31) % 600) / 100));
    const id = `${PLATFORM_PREFIXES[platform]}_${key}`;
    video.run(key, id, platform, title, user, views, views >> 4, at - 9 * HOUR_MS, at);
    tags.forEach((name, position) => {
      const folded = name.normalize('NFKC').toLowerCase();
      const known = tagKeys.get(folded) ?? (tag.get(name, folded, at) as number);
      tagKeys.set(folded, known);
      link.run(key, known, position);
    });
    snapshot.run(key, at, views >> 1, views >> 5);
    if (key % 2 === 0) snapshot.run(key, at + 6 * HOUR_MS, views, views >> 4);
  };
  for (let from = 1; from <= size; from += PAGE_ROWS)
    sqlite.transaction(() => {
      for (let key = from; key < Math.min(from + PAGE_ROWS, size + 1); key++) put(key);
      refreshSearch(lake);
    })();
};
