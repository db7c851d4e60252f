import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import type { PostingWindow } from '../../base/wire/analysis-shapes.ts';
import {
  countText,
  independentShare,
  percent,
  SMALL_GROUP,
  shareInterval,
  Z_99,
} from './statistics.ts';
import type { RankedVideo } from './top-decile.ts';

export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

/** Days since Monday, in UTC. */
export const weekdayOf = (at: number): number => (Math.floor(at / DAY_MS) + 3) % 7;
/** Hour of the day, in UTC. */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) % 24;

const WINDOW_HOURS = 3;

interface HourSlot {
  readonly weekday: PostingWindow['weekday'];
  readonly fromHour: number;
  readonly toHour: number;
  readonly has: (at: number) => boolean;
}

const HOUR_SLOTS: readonly HourSlot[] = Array.from({ length: 24 / WINDOW_HOURS }, (_, i) => ({
  weekday: 'any',
  fromHour: i * WINDOW_HOURS,
  toHour: (i + 1) * WINDOW_HOURS,
  has: (at) => Math.floor(hourOf(at) / WINDOW_HOURS) === i,
}));
const DAY_SLOTS: readonly HourSlot[] = WEEKDAYS.map((weekday, i) => ({
  weekday,
  fromHour: 0,
  toHour: 24,
  has: (at) => weekdayOf(at) === i,
}));

export interface RatedWindow {
  readonly window: PostingWindow;
  /** Its interval lies above the average. */
  readonly isSure: boolean;
}

type TimedVideo = RankedVideo & { readonly createdAt: number };
const topOf = (videos: readonly RankedVideo[]): number => videos.filter(({ top }) => top).length;

/** The slot with the highest lower limit, of those with at least `SMALL_GROUP` videos. */
const bestOf = (timed: readonly TimedVideo[], slots: readonly HourSlot[]): RatedWindow[] => {
  const usual = topOf(timed) / Math.max(1, timed.length);
  const best = slots
    .map((slot) => {
      const inside = timed.filter((video) => slot.has(video.createdAt));
      const top = topOf(inside);
      const share = independentShare(inside);
      const interval = shareInterval(share * top, share * inside.length, Z_99);
      return { slot, top, size: inside.length, interval };
    })
    .filter(({ size }) => size >= SMALL_GROUP)
    .sort((a, b) => b.interval.low - a.interval.low)[0];
  if (best === undefined) return [];
  const { slot, top, size, interval } = best;
  const isSure = interval.low > usual;
  const doubt = isSure ? '' : ' No time is clearly better than another.';
  const finding = `${percent(top / size)} of ${countText(size)} published then reach the top 10 % (99 % interval ${percent(interval.low)} to ${percent(interval.high)}, average ${percent(usual)}).${doubt}`;
  const { weekday, fromHour, toHour } = slot;
  return [{ window: { weekday, fromHour, toHour, finding }, isSure }];
};

/** The best three hours and the best weekday, in UTC. */
export const bestWindows = (videos: readonly RankedVideo[]): RatedWindow[] => {
  const timed = videos.filter((video): video is TimedVideo => video.createdAt !== null);
  return [...bestOf(timed, HOUR_SLOTS), ...bestOf(timed, DAY_SLOTS)];
};
