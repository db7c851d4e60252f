import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { riseEnd } from '../../src/learn/model/rise.ts';
import type { Curve } from './real-curves.ts';
import type { Asked } from './replay.ts';

/** The list "rising next", taken once a day: videos not yet over the edge, the most likely first. */
export interface Rising {
  readonly days: number;
  /** Share of the listed videos that ended on top. */
  readonly precision: number;
  /** Median hours from the list to the snapshot at which they crossed the edge, of those that did. */
  readonly leadHours: number;
  /** Share of the videos that ended on top and were listed before they crossed the edge. */
  readonly recall: number;
}

const LISTED = 20;
const TRACKED_MS = 2 * DAY_MS;

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** @param scoreOf order of the list, highest first */
export const risingLists = (asked: readonly Asked[], scoreOf: (its: Asked) => number): Rising => {
  const times = asked.map(({ at }) => at);
  const endAt = Math.max(...times);
  const byCurve = [...Map.groupBy(asked, ({ curve }) => curve).values()].map((rows) =>
    rows.toSorted((a, b) => a.at - b.at),
  );
  let [days, listed, right] = [0, 0, 0];
  const leads: number[] = [];
  const named = new Set<Curve>();
  for (let at = Math.min(...times) + DAY_MS; at <= endAt; at += DAY_MS) {
    const rows = byCurve.flatMap((curve) => {
      const newest = curve.findLast((its) => its.at <= at);
      return newest === undefined || newest.at <= at - TRACKED_MS || newest.overEdge
        ? []
        : [newest];
    });
    const list = rows.sort((a, b) => scoreOf(b) - scoreOf(a)).slice(0, LISTED);
    if (list.length < LISTED) continue;
    days += 1;
    listed += list.length;
    for (const { curve } of list) {
      if (!curve.top) continue;
      right += 1;
      const { crossedAt } = curve;
      if (crossedAt === undefined) continue;
      leads.push((crossedAt - at) / HOUR_MS);
      if (crossedAt >= at) named.add(curve);
    }
  }
  const tops = byCurve.filter(([row]) => row?.curve.top === true).length;
  return {
    days,
    precision: right / Math.max(1, listed),
    leadHours: middle(leads),
    recall: named.size / Math.max(1, tops),
  };
};

export const probabilityOf = ({ probability }: Asked): number => probability;
/** Order of a reader who knows the end: the best possible list. */
export const oracleOf = ({ curve }: Asked): number => (curve.top ? 1 : 0);

/** Views per hour since the snapshot before. */
export const paceOf = ({ curve: { snapshots }, position }: Asked): number => {
  const [before, now] = [snapshots[position - 1], snapshots[position]];
  if (before === undefined || now === undefined) return 0;
  const hours = Math.max(0.25, (now.at - before.at) / HOUR_MS);
  return ((now.views ?? 0) - (before.views ?? 0)) / hours;
};

/** Checks "likely over by" against the end of the rise as the whole curve has it. */
export const riseOver = (asked: readonly Asked[]) => {
  const ends = new Map<Curve, number | undefined>();
  const rows = asked.flatMap(({ curve, at, overBy }) => {
    if (overBy === null || (curve.snapshots.at(-1)?.at ?? 0) < overBy) return [];
    const points = curve.snapshots.map(({ at: observedAt, views }) => ({
      at: observedAt,
      views: views ?? 0,
    }));
    const end = ends.has(curve) ? ends.get(curve) : riseEnd({ points });
    ends.set(curve, end);
    return end === undefined ? [] : [{ isOver: end <= overBy, hours: (overBy - at) / HOUR_MS }];
  });
  return {
    rows: rows.length,
    within: rows.filter(({ isOver }) => isOver).length / Math.max(1, rows.length),
    hours: middle(rows.map(({ hours }) => hours)),
  };
};
