import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realLines } from '../../fixtures/real-data.ts';
import type { Lake } from '../../src/lake/open.ts';
import { insertVideos, type TestVideo } from './lake-fixture.ts';

interface RealVideo {
  id: string;
  platform: TestVideo['platform'];
  title: string | null;
  user: string | null;
  createdAt: string | null;
  tags?: string[] | null;
  sources: string[];
  firstSeenAt: string;
}
interface RealSnapshot {
  id: string;
  at: string;
  views: number | null;
}

interface Extract {
  readonly videos: RealVideo[];
  /** Of them, by id, [observedAt, views]. */
  readonly snapshots: Readonly<Record<string, [number, number | null][]>>;
}

const extracted = (sources: readonly string[]): Extract => {
  const isNamed = (line: string) => sources.some((source) => line.includes(`"${source}"`));
  const videos = [...realLines('videos.ndjson.gz', isNamed)]
    .map((line) => line as unknown as RealVideo)
    .filter((video) => video.sources.some((source) => sources.includes(source)));
  const timelines = new Map<string, Map<number, number | null>>();
  for (const { id } of videos) timelines.set(id, new Map());
  const isOfOne = (line: string) => timelines.has(/^\{"id":"([^"]+)"/.exec(line)?.[1] ?? '');
  for (const line of realLines('snapshots.ndjson.gz', isOfOne)) {
    const { id, at, views } = line as unknown as RealSnapshot;
    const timeline = timelines.get(id);
    const observedAt = Date.parse(at);
    if (timeline?.has(observedAt) === false)
      timeline.set(observedAt, views !== null && views >= 0 ? views : null);
  }
  const snapshots = Object.fromEntries([...timelines].map(([id, timeline]) => [id, [...timeline]]));
  return { videos, snapshots };
};

/** Sources that tests ask for: their videos are picked from the files once for the whole suite. */
const SOURCES = ['yt-hourly-kr', 'tt-vn-food', 'tt-api-2023', 'ig-search', 'ig-hourly'] as const;
export type RealSource = (typeof SOURCES)[number];

/** In the suite's folder; two processes that need it at once both make it. */
const extract = (): Extract => {
  const path = join(tmpdir(), 'real-videos.json');
  if (!existsSync(path)) {
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(extracted(SOURCES)));
    renameSync(unfinished, path);
  }
  return JSON.parse(readFileSync(path, 'utf8')) as Extract;
};

/** Puts the real videos of the named sources into a lake, with their snapshots. Returns them. */
export const insertRealVideos = (lake: Lake, sources: readonly RealSource[]): TestVideo[] => {
  const all = extract();
  const isNamed = (source: string): boolean => sources.some((named) => named === source);
  const videos = all.videos
    .filter((video) => video.sources.some(isNamed))
    .map((video) => ({
      ...video,
      createdAt: video.createdAt === null ? null : Date.parse(video.createdAt),
      firstSeenAt: Date.parse(video.firstSeenAt),
      tags: video.tags ?? [],
      snapshots: all.snapshots[video.id] ?? [],
    }));
  insertVideos(lake, videos as TestVideo[]);
  return videos as TestVideo[];
};
