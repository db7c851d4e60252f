import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { HOUR_MS } from '../../src/base/durations.ts';
import type { PastCurve } from '../../src/learn/budget/curves.ts';
import { type Replay, type ReplayVideo, replayVideo, shareOf } from './replay.ts';

/**
 * One real source: how long its step is, and how many calls a day there are for each video. `of`
 * says which videos count: all that the source ever shows, or those tracked at the moment.
 */
interface Source {
  readonly name: string;
  readonly stepHours: number;
  readonly callsPerVideoDay: number;
  readonly of: 'all' | 'tracked';
}

const SOURCES: readonly Source[] = [
  { name: 'yt-hourly-kr', stepHours: 1, callsPerVideoDay: 1, of: 'tracked' },
  { name: 'yt-radar-kr', stepHours: 6, callsPerVideoDay: 0.2, of: 'all' },
  { name: 'yt-radar-kr', stepHours: 6, callsPerVideoDay: 0.2, of: 'tracked' },
  { name: 'yt-daily-lists', stepHours: 24, callsPerVideoDay: 0.2, of: 'tracked' },
];

/** Curves that teach: those of creators that hash below this; all others test. */
const TEACH_SHARE = 0.3;
const MOST_TEACHING = 1000;

interface RealVideo {
  readonly id: string;
  readonly createdAt: number;
  readonly creator: string;
  readonly at: number[];
  readonly views: number[];
}

/** Lines of a gzip'd NDJSON file. Titles may hold any other line separator of Unicode. */
const linesOf = (path: string): string[] =>
  gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n');

const readVideos = (folder: string): Map<string, Map<string, RealVideo>> => {
  const bySource = new Map(
    SOURCES.map(({ name }) => [name, new Map<string, RealVideo>()] as const),
  );
  const births = new Map<string, { createdAt: number; creator: string }>();
  for (const line of linesOf(join(folder, 'videos.ndjson.gz'))) {
    const { id, createdAt, user, userKey } = JSON.parse(line);
    const known = { createdAt: Date.parse(createdAt), creator: `${userKey ?? ''}/${user}` };
    if (known.createdAt > 0) births.set(id, known);
  }
  for (const line of linesOf(join(folder, 'snapshots.ndjson.gz'))) {
    const { id, at, views, source } = JSON.parse(line);
    const videos = bySource.get(source);
    const birth = births.get(id);
    if (videos === undefined || birth === undefined || !(views >= 0)) continue;
    const instant = Date.parse(at);
    if (instant <= birth.createdAt) continue;
    const video: RealVideo = videos.get(id) ?? { id, ...birth, at: [], views: [] };
    videos.set(id, video);
    if (instant <= (video.at.at(-1) ?? 0)) continue;
    video.at.push(instant);
    video.views.push(views);
  }
  return bySource;
};

/** Views at every step between first and last sight, log-linear between observations. */
const countsAt = ({ at, views }: RealVideo, firstAt: number, stepMs: number): number[] => {
  const counts: number[] = [];
  let next = 1;
  for (let now = firstAt; now <= (at.at(-1) ?? 0); now += stepMs) {
    while (next < at.length - 1 && (at[next] ?? 0) < now) next++;
    const [a, b] = [at[next - 1] ?? 0, at[next] ?? 0];
    const share = Math.min(1, Math.max(0, (now - a) / (b - a)));
    const [x, y] = [Math.max(1, views[next - 1] ?? 1), Math.max(1, views[next] ?? 1)];
    counts.push(x ** (1 - share) * y ** share);
  }
  return counts;
};

/** Mean log views of a creator's other videos at a video's first sight. */
const usualOf = (own: RealVideo[], video: RealVideo): number | undefined => {
  const seenAt = video.at[0] ?? 0;
  const logs = own.flatMap((other) => {
    const last = other.at.findLastIndex((at) => at <= seenAt);
    return other === video || last < 0 ? [] : [Math.log(Math.max(1, other.views[last] ?? 1))];
  });
  return logs.length === 0 ? undefined : logs.reduce((a, b) => a + b) / logs.length;
};

const replayOf = (source: Source, videos: RealVideo[]): Replay => {
  const stepMs = source.stepHours * HOUR_MS;
  const startAt = Math.min(...videos.map(({ at }) => at[0] ?? Infinity));
  const creators = new Map<string, number>();
  const byCreator = Map.groupBy(videos, ({ creator }) => creator);
  const teach: PastCurve[] = [];
  const test: ReplayVideo[] = [];
  for (const video of videos) {
    if (shareOf(video.creator) < TEACH_SHARE) {
      const ageHours = video.at.map((at) => (at - video.createdAt) / HOUR_MS);
      const usual = usualOf(byCreator.get(video.creator) ?? [], video);
      const creatorUsual = usual === undefined ? {} : { creatorUsual: usual };
      if (teach.length < MOST_TEACHING)
        teach.push({ platform: 'youtube', ageHours, views: video.views, ...creatorUsual });
      continue;
    }
    const from = Math.ceil(((video.at[0] ?? 0) - startAt) / stepMs);
    const counts = countsAt(video, startAt + from * stepMs, stepMs);
    if (counts.length < 3) continue;
    if (!creators.has(video.creator)) creators.set(video.creator, creators.size);
    const creator = creators.get(video.creator) ?? -1;
    const bornHours = (video.createdAt - startAt) / HOUR_MS;
    test.push(replayVideo({ platform: 'youtube', creator, bornHours, from }, counts));
  }
  const steps = Math.max(...test.map(({ from, views }) => from + views.length));
  const videoSteps = test.reduce((sum, { views }) => sum + views.length - 1, 0);
  const { stepHours, callsPerVideoDay } = source;
  const counted = source.of === 'all' ? test.length : videoSteps / steps;
  const callsPerStep = (counted * callsPerVideoDay * stepHours) / 24;
  const name = `${source.name}, ${callsPerVideoDay} calls a day per ${source.of} video`;
  return { name, stepHours, steps, callsPerStep, videos: test, teach };
};

/** Replays of the real sources in a folder of the import format; none when it is not there. */
export const realReplays = (folder: string): Replay[] => {
  if (!existsSync(join(folder, 'snapshots.ndjson.gz'))) return [];
  const bySource = readVideos(folder);
  return SOURCES.flatMap((source) => {
    const videos = [...(bySource.get(source.name)?.values() ?? [])].filter(
      ({ at }) => at.length >= 3,
    );
    return videos.length < 20 ? [] : [replayOf(source, videos)];
  });
};
