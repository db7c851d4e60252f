import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Platform } from '../../schema/vocabulary.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';
import { refreshSearch } from '../../src/search/search-index.ts';

/** A video for a test lake; what is left out is null or a plain default. Instants in Unix ms. */
export interface TestVideo {
  readonly id: string;
  readonly platform?: Platform;
  readonly title?: string | null;
  readonly user?: string | null;
  readonly views?: number | null;
  readonly likes?: number | null;
  readonly createdAt?: number | null;
  readonly firstSeenAt?: number;
  readonly tags?: readonly string[];
  /** [observedAt, views] */
  readonly snapshots?: readonly (readonly [number, number | null])[];
}

/** An empty lake in a fresh folder, gone when the test is. */
export const emptyLake = (): Lake => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-test-'));
  const lake = openLake(dataDir);
  onTestFinished(() => {
    lake.close();
    rmSync(dataDir, { recursive: true });
  });
  return lake;
};

/** Puts videos into a lake by direct inserts, searchable like loaded ones. */
export const insertVideos = (lake: Lake, videos: readonly TestVideo[]): void => {
  const { sqlite } = lake;
  const video = sqlite
    .prepare(
      'insert into video (id, platform, title, user, views, likes, created_at, first_seen_at) values (?, ?, ?, ?, ?, ?, ?, ?) returning key',
    )
    .pluck();
  const tag = sqlite
    .prepare(
      'insert into hashtag (tag, folded, first_seen_at) values (?, ?, ?) on conflict do update set folded = folded returning key',
    )
    .pluck();
  const link = sqlite.prepare('insert or ignore into video_hashtag values (?, ?, ?)');
  const look = sqlite.prepare('insert into video_snapshot values (?, ?, ?, ?, null, 1, 5, null)');
  sqlite.transaction(() => {
    for (const v of videos) {
      const seenAt = v.firstSeenAt ?? v.createdAt ?? 0;
      const key = video.get(
        v.id,
        v.platform ?? 'tiktok',
        v.title ?? null,
        v.user ?? null,
        v.views ?? null,
        v.likes ?? null,
        v.createdAt ?? null,
        seenAt,
      );
      v.tags?.forEach((name, position) => {
        link.run(key, tag.get(name, name.normalize('NFKC').toLowerCase(), seenAt), position);
      });
      for (const [at, views] of v.snapshots ?? []) look.run(key, at, views, null);
    }
    refreshSearch(lake);
  })();
};
