import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PLATFORM_PREFIXES, type Platform, sourceCode } from '../../schema/vocabulary.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';

/** A fresh lake in a folder of its own, both gone when the test ends. */
export const freshLake = (): Lake => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-events-'));
  const lake = openLake(folder);
  onTestFinished(() => {
    lake.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return lake;
};

export interface MadeVideo {
  readonly id: string;
  readonly user?: string;
  readonly createdAt?: number;
  readonly looks: readonly (readonly [at: number, views: number | null])[];
  readonly tags?: readonly string[];
}

const platformOf = (id: string): Platform =>
  (Object.keys(PLATFORM_PREFIXES) as Platform[]).find((name) =>
    id.startsWith(`${PLATFORM_PREFIXES[name]}_`),
  ) as Platform;

const tagKey = (lake: Lake, tag: string): number => {
  lake.sqlite
    .prepare(
      'insert into hashtag (tag, folded, first_seen_at) values (?, ?, 0) on conflict do nothing',
    )
    .run(tag, tag.toLowerCase());
  return lake.sqlite
    .prepare('select key from hashtag where folded = ?')
    .pluck()
    .get(tag.toLowerCase()) as number;
};

/** Puts a video and its looks into the lake, as a load would. */
export const putVideo = (lake: Lake, video: MadeVideo): number => {
  const views = video.looks.at(-1)?.[1] ?? null;
  lake.sqlite
    .prepare(
      `insert into video (id, platform, user, views, created_at, first_seen_at) values (?, ?, ?, ?, ?, ?)
       on conflict (id) do update set views = excluded.views`,
    )
    .run(
      video.id,
      platformOf(video.id),
      video.user ?? null,
      views,
      video.createdAt ?? null,
      video.looks[0]?.[0] ?? 0,
    );
  const key = lake.sqlite
    .prepare('select key from video where id = ?')
    .pluck()
    .get(video.id) as number;
  const look = lake.sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, rate_derived, source) values (?, ?, ?, 1, ?) on conflict do nothing',
  );
  for (const [at, its] of video.looks) look.run(key, at, its, sourceCode('feed'));
  for (const [position, tag] of (video.tags ?? []).entries())
    lake.sqlite
      .prepare('insert into video_hashtag values (?, ?, ?) on conflict do nothing')
      .run(key, tagKey(lake, tag), position);
  return key;
};

/** One look at a tag's volume. */
export const putTagLook = (
  lake: Lake,
  tag: string,
  platform: string,
  at: number,
  volume: number,
): void => {
  lake.sqlite
    .prepare(
      'insert into hashtag_snapshot (hashtag_key, platform, observed_at, volume, source) values (?, ?, ?, ?, ?)',
    )
    .run(tagKey(lake, tag), platform, at, volume, sourceCode('hashtags'));
};

/** One pulled list, best first. */
export const putList = (
  lake: Lake,
  {
    list = 'feed',
    platform,
    at,
    keys,
  }: { list?: string; platform: Platform; at: number; keys: readonly number[] },
): void => {
  const { lastInsertRowid } = lake.sqlite
    .prepare(
      'insert into capture (list, platform, period, captured_at, completed_at, total) values (?, ?, ?, ?, ?, ?)',
    )
    .run(list, platform, list === 'feed' ? '24h' : 'day', at, at, keys.length);
  const rank = lake.sqlite.prepare(
    'insert into ranking (capture_key, rank, video_key) values (?, ?, ?)',
  );
  for (const [index, key] of keys.entries()) rank.run(lastInsertRowid, index + 1, key);
};
