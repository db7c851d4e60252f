import { isoOf } from '../../base/iso.ts';
import { readMeta, writeMeta } from '../meta.ts';
import type { Lake } from '../open.ts';
import { growthCurveOf } from './growth-curve.ts';
import { timeline } from './timeline.ts';

const DAILY_BEFORE = 'snapshots_daily_before';

/** Unix ms before which snapshots are thinned to first, last and peak of a day; undefined: never. */
const dailyBeforeOf = ({ sqlite }: Pick<Lake, 'sqlite'>): number | undefined => {
  const stored = readMeta(sqlite, DAILY_BEFORE);
  return stored === undefined ? undefined : Number(stored);
};

/** Notes that snapshots before an instant (Unix ms) are thinned. It never moves back. */
export const noteDailyBefore = (lake: Pick<Lake, 'sqlite'>, before: number): void => {
  if (before > (dailyBeforeOf(lake) ?? Number.MIN_SAFE_INTEGER))
    writeMeta(lake.sqlite, DAILY_BEFORE, String(before));
};

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
