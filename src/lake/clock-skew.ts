import { DAY_MS, MINUTE_MS } from '../base/durations.ts';
import { minuteOf } from '../base/iso.ts';
import { readMeta, removeMeta, writeMeta } from './meta.ts';
import type { Lake } from './open.ts';
import { prepare } from './prepare.ts';

// Compares this machine's clock with the service's, and with the newest rows of the lake. One run with
// a clock that is ahead leaves rows of the future, and then the newest list never changes again.

/** Clocks further apart than this are worth a warning. */
export const NOTICEABLE_SKEW_MS = 10 * MINUTE_MS;

/** A clock further ahead of the service than this loads nothing. */
export const REFUSED_SKEW_MS = DAY_MS;

const KEY = 'clock_skew';

/** Milliseconds that this clock is ahead of a response's `Date`; undefined without a usable date. */
export const clockSkewMs = (
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined => {
  const dateAt = Date.parse(headers.date ?? '');
  return Number.isNaN(dateAt) ? undefined : now - dateAt;
};

/** Keeps a noticeable skew for `status` and `doctor`, and forgets it once the clocks agree. */
export const noteClockSkew = ({ sqlite }: Lake, skewMs: number): void => {
  const known = readMeta(sqlite, KEY);
  if (Math.abs(skewMs) <= NOTICEABLE_SKEW_MS) {
    if (known !== undefined) removeMeta(sqlite, KEY);
    return;
  }
  const isKnown = known !== undefined && Math.abs(Number(known) - skewMs) <= NOTICEABLE_SKEW_MS;
  if (!isKnown) writeMeta(sqlite, KEY, String(skewMs));
};

const spanText = (ms: number): string => {
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2880
    ? `${Math.round(minutes / 60)} hours`
    : `${Math.round(minutes / 1440)} days`;
};

/** Distance between two clocks, as the predicate of a sentence. */
export const skewText = (skewMs: number): string =>
  `${spanText(skewMs)} ${skewMs > 0 ? 'ahead of' : 'behind'} the service's`;

/** The latest instant at which the lake says that something happened; null in an empty lake. */
const newestRowAt = ({ sqlite }: Lake): number | null =>
  prepare(
    sqlite,
    `select max(at) from (
       select max(observed_at) as at from video_snapshot
       union all select max(captured_at) from capture
       union all select sent_at from (select sent_at from calls order by id desc limit 100))`,
    'number?',
  ).get() ?? null;

/** Problems of the clock, one sentence each; empty if none is known. */
export const clockProblems = (lake: Lake, now: number): string[] => {
  const skewMs = Number(readMeta(lake.sqlite, KEY) ?? 0);
  const newestAt = newestRowAt(lake);
  return [
    ...(skewMs === 0
      ? []
      : [`This machine's clock was ${skewText(skewMs)} at the last call. Set it right.`]),
    ...(newestAt === null || newestAt - now <= NOTICEABLE_SKEW_MS
      ? []
      : [
          `The lake holds rows of the future: the newest is of ${minuteOf(newestAt)}, and the clock says ${minuteOf(now)}. Either the clock was ahead when they were loaded, or it was set back since.`,
        ]),
  ];
};
