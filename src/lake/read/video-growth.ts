import { isoOf } from '../../base/iso.ts';
import type { Lake } from '../open.ts';
import { dailyBeforeOf } from './daily-before.ts';
import { growthCurveOf } from './growth-curve.ts';
import { timeline } from './timeline.ts';

/** `GET /videos/{id}/growth` as people and programs read it: instants ISO 8601, oldest first. */
export const videoGrowth = (lake: Lake, videoKey: number, asOf: number) => {
  const points = timeline(lake, videoKey, asOf);
  const dailyBefore = dailyBeforeOf(lake);
  const isThinned = dailyBefore !== undefined && (points[0]?.at ?? dailyBefore) < dailyBefore;
  return {
    snapshots: points.map((point) => ({ ...point, at: isoOf(point.at) })),
    curve: growthCurveOf(points),
    ...(isThinned ? { dailyBefore: isoOf(dailyBefore) } : {}),
  };
};
