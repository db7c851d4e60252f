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

/** Puts the real videos of the named sources into a lake, with their looks. Returns them. */
export const insertRealVideos = (lake: Lake, sources: readonly string[]): TestVideo[] => {
  const timelines = new Map<string, [number, number | null][]>();
  const videos: TestVideo[] = [];
  const isNamed = (line: string) => sources.some((source) => line.includes(`"${source}"`));
  for (const line of realLines('videos.ndjson.gz', isNamed)) {
    const video = line as unknown as RealVideo;
    if (!video.sources.some((source) => sources.includes(source))) continue;
    const snapshots: [number, number | null][] = [];
    timelines.set(video.id, snapshots);
    videos.push({
      ...video,
      createdAt: video.createdAt === null ? null : Date.parse(video.createdAt),
      firstSeenAt: Date.parse(video.firstSeenAt),
      tags: video.tags ?? [],
      snapshots,
    } as TestVideo);
  }
  const seen = new Set<string>();
  const isOfOne = (line: string) => timelines.has(/^\{"id":"([^"]+)"/.exec(line)?.[1] ?? '');
  for (const line of realLines('snapshots.ndjson.gz', isOfOne)) {
    const { id, at, views } = line as unknown as RealSnapshot;
    if (seen.has(`${id} ${at}`)) continue;
    seen.add(`${id} ${at}`);
    timelines.get(id)?.push([Date.parse(at), views !== null && views >= 0 ? views : null]);
  }
  insertVideos(lake, videos);
  return videos;
};
