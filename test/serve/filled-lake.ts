import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Source, sourceCode } from '../../schema/vocabulary.ts';
import { HOUR_MS } from '../../src/durations.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';
import { refreshSearch } from '../../src/search/search-index.ts';

/** The instant the test lakes are asked at: 2026-03-10T12:00:00Z. */
export const NOW = Date.UTC(2026, 2, 10, 12);
export const hoursAgo = (hours: number): number => NOW - hours * HOUR_MS;

/** A fresh folder, removed by the returned function. */
export const freshFolder = (): { dataDir: string; remove: () => void } => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-serve-'));
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
};

type Look = [at: number, views: number | null, likes?: number | null];

interface VideoFill {
  id: string;
  platform?: string;
  title?: string | null;
  user?: string | null;
  createdAt?: number | null;
  tags?: string[];
  extra?: Record<string, unknown>;
  looks: Look[];
  revisions?: { untilAt: number; title: string | null; user: string | null }[];
}

const prefixes: Record<string, string> = { tt: 'tiktok', ig: 'instagram', yt: 'youtube' };

/** Fills a lake by direct inserts. */
export const filler = (lake: Lake) => {
  const { sqlite } = lake;
  const tagKey = (tag: string): number => {
    sqlite
      .prepare(
        'insert into hashtag (tag, folded, first_seen_at) values (?, ?, 0) on conflict do nothing',
      )
      .run(tag, tag.toLowerCase());
    return sqlite
      .prepare('select key from hashtag where folded = ?')
      .pluck()
      .get(tag.toLowerCase()) as number;
  };
  const keyOf = (id: string): number =>
    sqlite.prepare('select key from video where id = ?').pluck().get(id) as number;

  const look = (key: number, [at, views, likes = null]: Look, source: Source = 'import'): void => {
    sqlite
      .prepare(
        `insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source)
         values (?, ?, ?, ?, 1, ?)`,
      )
      .run(key, at, views, likes, sourceCode(source));
  };

  const video = (fill: VideoFill): number => {
    const last = fill.looks.at(-1);
    const key = Number(
      sqlite
        .prepare(
          `insert into video (id, platform, title, user, views, likes, created_at, first_seen_at, extra)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          fill.id,
          fill.platform ?? prefixes[fill.id.slice(0, 2)],
          fill.title === undefined ? `title of ${fill.id}` : fill.title,
          fill.user === undefined ? 'somebody' : fill.user,
          last?.[1] ?? null,
          last?.[2] ?? null,
          fill.createdAt === undefined ? hoursAgo(1000) : fill.createdAt,
          fill.looks[0]?.[0] ?? NOW,
          fill.extra === undefined ? null : JSON.stringify(fill.extra),
        ).lastInsertRowid,
    );
    for (const seen of fill.looks) look(key, seen);
    for (const [position, tag] of (fill.tags ?? []).entries())
      sqlite.prepare('insert into video_hashtag values (?, ?, ?)').run(key, tagKey(tag), position);
    for (const { untilAt, title, user } of fill.revisions ?? [])
      sqlite
        .prepare(
          'insert into video_revision (video_key, until_at, title, user) values (?, ?, ?, ?)',
        )
        .run(key, untilAt, title, user);
    return key;
  };

  const pulled = (list: {
    list: 'feed' | 'trends' | 'hashtags';
    platform: string;
    period: string;
    at: number;
    completedAt?: number;
    total: number | null;
    ranks?: { rank: number; id: string; score?: number | null; velocity?: number | null }[];
  }): void => {
    const key = sqlite
      .prepare(
        `insert into capture (list, platform, period, captured_at, completed_at, total)
         values (?, ?, ?, ?, ?, ?)`,
      )
      .run(
        list.list,
        list.platform,
        list.period,
        list.at,
        list.completedAt ?? list.at,
        list.total,
      ).lastInsertRowid;
    for (const { rank, id, score = null, velocity = null } of list.ranks ?? [])
      sqlite
        .prepare(
          'insert into ranking (capture_key, rank, video_key, score, velocity) values (?, ?, ?, ?, ?)',
        )
        .run(key, rank, keyOf(id), score, velocity);
  };

  const hashtag = (row: {
    tag: string;
    platform: string;
    at: number;
    volume: number | null;
    views?: number | null;
    change?: number | null;
    rank?: number | null;
    extra?: Record<string, unknown>;
    window?: string;
  }): void => {
    sqlite
      .prepare(
        `insert into hashtag_snapshot (hashtag_key, platform, observed_at, volume, views, change, rank, source, extra, window)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        tagKey(row.tag),
        row.platform,
        row.at,
        row.volume,
        row.views ?? null,
        row.change ?? null,
        row.rank ?? null,
        sourceCode('hashtags'),
        row.extra === undefined ? null : JSON.stringify(row.extra),
        row.window ?? null,
      );
  };

  const creator = (row: {
    platform: string;
    handle: string;
    rate?: number | null;
    extra?: Record<string, unknown>;
    looks: [
      at: number,
      followers: number | null,
      videoCount?: number,
      views?: number,
      likes?: number,
    ][];
  }): void => {
    const key = sqlite
      .prepare(
        `insert into creator (platform, handle, engagement_rate, first_seen_at, extra) values (?, ?, ?, ?, ?)`,
      )
      .run(
        row.platform,
        row.handle,
        row.rate ?? null,
        row.looks[0]?.[0] ?? 0,
        row.extra === undefined ? null : JSON.stringify(row.extra),
      ).lastInsertRowid;
    const last = row.looks.at(-1);
    if (row.looks.length > 1 && last !== undefined)
      sqlite
        .prepare('insert into creator_revision (creator_key, until_at) values (?, ?)')
        .run(key, last[0]); // what the profile says beside its counts, it says since then
    for (const [at, followers, videoCount, views, likes] of row.looks)
      sqlite
        .prepare(
          `insert into creator_snapshot (creator_key, observed_at, followers, video_count, views, likes, source)
           values (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          key,
          at,
          followers,
          videoCount ?? null,
          views ?? null,
          likes ?? null,
          sourceCode('creator'),
        );
  };

  const event = (row: {
    id: string;
    kind: string;
    platform: string | null;
    at: number;
    detectedAt?: number;
  }): void => {
    sqlite
      .prepare(
        `insert into events (id, kind, platform, subject, occurred_at, detected_at, origin, data)
         values (?, ?, ?, ?, ?, ?, 'trendlake', ?)`,
      )
      .run(
        row.id,
        row.kind,
        row.platform,
        'video:tt_1',
        row.at,
        row.detectedAt ?? row.at,
        JSON.stringify({ id: row.id }),
      );
  };
  return { video, look, keyOf, pulled, hashtag, creator, event };
};

export type Filler = ReturnType<typeof filler>;

/** Opens the lake of a folder, fills it and closes it again. */
export const fillLake = (dataDir: string, fill: (into: Filler) => void): void => {
  const lake = openLake(dataDir);
  try {
    lake.sqlite
      .transaction(() => {
        fill(filler(lake));
        refreshSearch(lake);
      })
      .immediate();
  } finally {
    lake.close();
  }
};
