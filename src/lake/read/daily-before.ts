import { readMeta, writeMeta } from '../meta.ts';
import type { Lake } from '../open.ts';

const DAILY_BEFORE = 'snapshots_daily_before';

/** Unix ms before which snapshots are thinned to first, last and peak of a day; undefined: never. */
export const dailyBeforeOf = ({ sqlite }: Pick<Lake, 'sqlite'>): number | undefined => {
  const stored = readMeta(sqlite, DAILY_BEFORE);
  return stored === undefined ? undefined : Number(stored);
};

/** Notes that snapshots before an instant (Unix ms) are thinned. It never moves back. */
export const noteDailyBefore = (lake: Pick<Lake, 'sqlite'>, before: number): void => {
  if (before > (dailyBeforeOf(lake) ?? Number.MIN_SAFE_INTEGER))
    writeMeta(lake.sqlite, DAILY_BEFORE, String(before));
};
