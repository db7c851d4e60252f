import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { type Cohort, standingIn } from './cohort.ts';
import { ageClass, ageHours, type Curve, lastAtOrBefore, logViews, type Point } from './curve.ts';

/** Number of inputs at a snapshot. */
export const POINT_FEATURES = 28;

const between = (points: readonly Point[], from: number, to: number) => {
  const a = points[from] as Point;
  const b = points[to] as Point;
  const hours = Math.max(1 / 60, (b.at - a.at) / HOUR_MS);
  return {
    hours,
    pace: (b.views - a.views) / hours,
    rise: (logViews(b.views) - logViews(a.views)) / hours,
  };
};

/** Keeps the sign: paces are negative after a correction of the platform. */
const signedLog = (value: number): number => Math.sign(value) * Math.log1p(Math.abs(value));

/** Fills `row` from the point at `position` and earlier ones. */
export const describePoint = (
  curve: Curve,
  position: number,
  cohorts: readonly Cohort[],
  row: Float32Array,
): void => {
  const { points } = curve;
  const first = points[0] as Point;
  const now = points[position] as Point;
  const back = (ms: number): number =>
    Math.max(0, Math.min(position - 1, lastAtOrBefore(points, now.at - ms)));
  const last = position === 0 ? undefined : between(points, position - 1, position);
  const six = position === 0 ? undefined : between(points, back(6 * HOUR_MS), position);
  const day = position === 0 ? undefined : between(points, back(DAY_MS), position);
  const before =
    position < 2 ? undefined : between(points, Math.max(0, back(DAY_MS) - 1), position - 1);
  const age = ageHours(curve, now.at);
  const ageBack = ageHours(curve, (points[back(DAY_MS)] as Point).at);
  const hours = (now.at - first.at) / HOUR_MS;
  const growth = logViews(now.views) - logViews(first.views);
  const firstAgeClass = ageClass(curve);
  const cohort = cohorts[firstAgeClass] as Cohort;
  const standing = standingIn(cohort, hours, growth, logViews(first.views));
  const dayRise = day?.rise ?? Number.NaN;
  // later, its own growth says more
  const creator = position === 0 ? curve.creator : undefined;
  // Stored models refer to these by position.
  const inputs = {
    growth,
    sinceFirst: Math.log1p(hours),
    ageAtFirst: Math.log1p(ageHours(curve, first.at)),
    age: Math.log1p(age),
    views: logViews(now.views),
    firstViews: logViews(first.views),
    pace: signedLog(last?.pace ?? Number.NaN),
    pace6: signedLog(six?.pace ?? Number.NaN),
    pace24: signedLog(day?.pace ?? Number.NaN),
    rise: last?.rise ?? Number.NaN,
    rise6: six?.rise ?? Number.NaN,
    rise24: dayRise,
    bend: (dayRise * (day?.hours ?? Number.NaN)) / Math.log((age + 1) / (ageBack + 1)),
    turn: (last?.rise ?? Number.NaN) - (before?.rise ?? Number.NaN),
    snapshots: position,
    gap: last?.hours ?? Number.NaN,
    hour: Math.floor((now.at % DAY_MS) / HOUR_MS),
    rank: standing.rank,
    firstRank: standing.firstRank,
    overMedian: standing.overMedian,
    overTenth: standing.overTenth,
    missing: standing.missing,
    missingShare: growth / cohort.edge,
    remaining: standing.remaining,
    ageClass: firstAgeClass,
    hoursToEdge: Math.max(
      -50,
      Math.min(5000, standing.missing / Math.max(1e-5, six?.rise ?? Number.NaN)),
    ),
    creatorVideos: Math.log1p(creator?.videos ?? Number.NaN),
    creatorGrowth: creator?.growth ?? Number.NaN,
  };
  row.set(Object.values(inputs));
};
