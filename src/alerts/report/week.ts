import { DAY_MS } from '../../base/durations.ts';
import { dateOf } from '../../base/iso.ts';

/** An ISO week in UTC, Monday 00:00 to the next Monday 00:00, or one UTC day. Unix ms. */
export interface Week {
  /** Such as `2026-W47` or `2026-11-16`. */
  readonly name: string;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

const WEEK_MS = 7 * DAY_MS;
const FIRST_MONDAY = 4 * DAY_MS; // 1970-01-05; Unix time began on a Thursday

const weekStart = (at: number): number =>
  FIRST_MONDAY + Math.floor((at - FIRST_MONDAY) / WEEK_MS) * WEEK_MS;

/** The week that holds an instant. */
const weekOf = (at: number): Week => {
  const from = weekStart(at);
  const year = new Date(from + 3 * DAY_MS).getUTCFullYear(); // a week belongs to its Thursday's year
  const first = Date.UTC(year, 0, 4); // which is always in the first week
  const number = 1 + Math.round((from - weekStart(first)) / WEEK_MS);
  return { name: `${year}-W${String(number).padStart(2, '0')}`, from, to: from + WEEK_MS };
};

/** The week a text names: `2026-W47`, or any date in it; undefined when it names none. */
export const parseWeek = (text: string): Week | undefined => {
  const named = /^(\d{4})-?W(\d{2})$/i.exec(text.trim());
  if (named !== null) {
    const first = weekOf(Date.UTC(Number(named[1]), 0, 4));
    const week = weekOf(first.from + (Number(named[2]) - 1) * WEEK_MS);
    return week.name === `${named[1]}-W${named[2]}` ? week : undefined;
  }
  const at = /^\d{4}-\d\d-\d\d$/.test(text.trim()) ? Date.parse(`${text.trim()}T00:00:00Z`) : NaN;
  return Number.isNaN(at) || dateOf(at) !== text.trim() ? undefined : weekOf(at);
};

/** The last week that was over at an instant. */
export const lastWholeWeek = (now: number): Week => weekOf(weekOf(now).from - 1);

/** The last UTC day that was over at an instant. */
export const lastWholeDay = (now: number): Week => {
  const to = Math.floor(now / DAY_MS) * DAY_MS;
  return { name: dateOf(to - 1), from: to - DAY_MS, to };
};
