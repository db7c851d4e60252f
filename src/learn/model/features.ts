import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { type Cohort, standingIn } from './cohort.ts';
import { ageClass, ageHours, type Curve, lastAtOrBefore, logViews, type Point } from './curve.ts';

/** Inputs of the model at a snapshot, in this order. */
export const FEATURES = [
  'growth',
  'sinceFirst',
  'ageAtFirst',
  'age',
  'views',
  'firstViews',
  'pace',
  'pace6',
  'pace24',
  'rise',
  'rise6',
  'rise24',
  'bend',
  'turn',
  'snapshots',
  'gap',
  'hour',
  'rank',
  'firstRank',
  'overMedian',
  'overTenth',
  'missing',
  'missingShare',
  'remaining',
  'ageClass',
  'hoursToEdge',
  'creatorVideos',
  'creatorGrowth',
] as const;

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

/** Fills `row` with FEATURES, from the point at `position` and earlier ones. */
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
  row[0] = growth;
  row[1] = Math.log1p(hours);
  row[2] = Math.log1p(ageHours(curve, first.at));
  row[3] = Math.log1p(age);
  row[4] = logViews(now.views);
  row[5] = logViews(first.views);
  row[6] = signedLog(last?.pace ?? Number.NaN);
  row[7] = signedLog(six?.pace ?? Number.NaN);
  row[8] = signedLog(day?.pace ?? Number.NaN);
  row[9] = last?.rise ?? Number.NaN;
  row[10] = six?.rise ?? Number.NaN;
  row[11] = dayRise;
  row[12] = (dayRise * (day?.hours ?? Number.NaN)) / Math.log((age + 1) / (ageBack + 1));
  row[13] = (last?.rise ?? Number.NaN) - (before?.rise ?? Number.NaN);
  row[14] = position;
  row[15] = last?.hours ?? Number.NaN;
  row[16] = Math.floor((now.at % DAY_MS) / HOUR_MS);
  row[17] = standing.rank;
  row[18] = standing.firstRank;
  row[19] = standing.overMedian;
  row[20] = standing.overTenth;
  row[21] = standing.missing;
  row[22] = growth / cohort.edge;
  row[23] = standing.remaining;
  row[24] = firstAgeClass;
  row[25] = Math.max(
    -50,
    Math.min(5000, standing.missing / Math.max(1e-5, six?.rise ?? Number.NaN)),
  );
  // later, its own growth says more
  const creator = position === 0 ? curve.creator : undefined;
  row[26] = Math.log1p(creator?.videos ?? Number.NaN);
  row[27] = creator?.growth ?? Number.NaN;
};
