import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import type { PastCurve } from '../../src/learn/budget/curves.ts';
import { World } from '../../src/sandbox/world/world.ts';
import { type WorldVideo, worldViewsAt } from '../../src/sandbox/world/world-video.ts';
import { type Replay, replayVideo, shareOf } from './replay.ts';

export interface WorldSize {
  readonly videos: number;
  readonly days: number;
  readonly callsPerDay: number;
  readonly seed: number;
  /** Only this share of the creators, and of the calls. */
  readonly share: number;
}

const START_AT = Date.UTC(2026, 5, 1);
/** Curves of another world that teach. */
const TEACHING = 600;

const creatorOf = ({ platform, user }: WorldVideo): string => `${platform}/${user}`;

/** The newest so many videos born before the end: those a lake of that age would hold. */
const newestOf = (seed: number, count: number, endAt: number): WorldVideo[] => {
  const world = new World({ seed });
  for (let days = 30; ; days += 15) {
    const videos = world.videos({ fromAt: endAt - days * DAY_MS, toAt: endAt - DAY_MS });
    if (videos.length >= count || days > 720) return videos.slice(-count);
  }
};

const teachingCurves = (seed: number): PastCurve[] => {
  const videos = newestOf(seed, TEACHING * 10, START_AT);
  const byCreator = Map.groupBy(videos, creatorOf);
  const stride = Math.ceil(videos.length / TEACHING);
  return videos.flatMap((video, i) => {
    const first = video.snapshots[0];
    const refreshes = video.snapshots.filter((at) => at <= START_AT);
    if (i % stride > 0 || first === undefined || refreshes.length < 2) return [];
    const others = (byCreator.get(creatorOf(video)) ?? []).filter(
      (other) => other !== video && (other.snapshots[0] ?? Infinity) < first,
    );
    const logs = others.map((other) => Math.log(Math.max(1, worldViewsAt(other, first))));
    const creatorUsual = logs.reduce((a, b) => a + b, 0) / logs.length;
    const ageHours = refreshes.map((at) => (at - video.bornAt) / HOUR_MS);
    const views = refreshes.map((at) => worldViewsAt(video, at));
    return [{ platform: video.platform, ageHours, views, creatorUsual }];
  });
};

/**
 * The sandbox's world in hourly steps: its newest videos, each first seen at the world's own first
 * snapshot (or at the start, when it is older) and followed to the end. A world of another seed teaches.
 */
export const worldReplay = ({ videos, days, callsPerDay, seed, share }: WorldSize): Replay => {
  const steps = days * 24;
  const creators = new Map<string, number>();
  const world = newestOf(seed, videos, START_AT + days * DAY_MS).flatMap((video) => {
    const firstAt = video.snapshots[0] ?? Number.POSITIVE_INFINITY;
    const from = Math.max(0, Math.ceil((firstAt - START_AT) / HOUR_MS));
    const key = creatorOf(video);
    if (from >= steps - 1 || shareOf(key) >= share) return [];
    const creator = creators.get(key) ?? creators.size;
    creators.set(key, creator);
    const bornHours = (video.bornAt - START_AT) / HOUR_MS;
    const counts = Array.from({ length: steps - from }, (_, t) =>
      worldViewsAt(video, START_AT + (from + t) * HOUR_MS),
    );
    return [replayVideo({ platform: video.platform, creator, bornHours, from }, counts)];
  });
  return {
    name: 'sandbox world',
    stepHours: 1,
    steps,
    callsPerStep: (callsPerDay * share) / 24,
    videos: world,
    teach: teachingCurves(seed + 1),
  };
};
