import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { realFolder } from '../fixtures/real-data.ts';
import { type SpikeThresholds, THRESHOLDS } from '../src/alerts/events/thresholds.ts';
import type { Snapshot } from '../src/alerts/events/timeline.ts';
import { trendSpikes } from '../src/alerts/events/trend-spike.ts';
import { HOUR_MS } from '../src/base/durations.ts';
import { type Curve, realCurves } from './forecast/real-curves.ts';

// Quality of `trend.spike` on real curves: how early before the video's peak rate it speaks, and
// how many of those it names end in the top tenth of growth of their cohort. Beside it two naive
// rules. Every rule's numbers are chosen on one half of the videos, for the best F0.5 (a false alarm
// costs more than a miss), and reported on the other.
//
//   npm run bench events [-- --from PATH] [-- --tune]

/** The instant a rule first names a video, judging it snapshot by snapshot. */
type Rule = (curve: Curve) => number | undefined;

interface Score {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Weighs precision twice as much as recall. */
  readonly fHalf: number;
  /** Of the named that end on top: share named at or before the peak, and median hours before it. */
  readonly inTime: number;
  readonly hoursBefore: number;
}

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
const ours =
  (limits: (curve: Curve) => SpikeThresholds): Rule =>
  (curve) =>
    trendSpikes(curve, everything, limits(curve))[0]?.window.to;

const steps = (snapshots: readonly Snapshot[]): { at: number; gain: number; hours: number }[] =>
  snapshots.slice(1).map(({ at, views }, index) => {
    const before = snapshots[index] as Snapshot;
    return { at, gain: (views ?? 0) - (before.views ?? 0), hours: (at - before.at) / HOUR_MS };
  });

const fixedThreshold =
  (viewsPerHour: number): Rule =>
  ({ snapshots }) =>
    steps(snapshots).find(({ gain, hours }) => gain / hours >= viewsPerHour)?.at;

const zScore =
  (least: number): Rule =>
  ({ snapshots }) => {
    const gains: number[] = [];
    for (const { at, gain } of steps(snapshots)) {
      const mean = gains.reduce((sum, one) => sum + one, 0) / gains.length;
      const spread = Math.sqrt(
        gains.reduce((sum, one) => sum + (one - mean) ** 2, 0) / gains.length,
      );
      if (gains.length >= 3 && spread > 0 && (gain - mean) / spread >= least) return at;
      gains.push(gain);
    }
    return undefined;
  };

const score = (curves: readonly Curve[], rule: Rule): Score => {
  const named = curves.flatMap((curve) => {
    const at = rule(curve);
    return at === undefined ? [] : [{ curve, leadHours: (curve.peakAt - at) / HOUR_MS }];
  });
  const right = named.filter(({ curve }) => curve.top);
  const leads = right.map(({ leadHours }) => leadHours).sort((a, b) => a - b);
  const precision = right.length / Math.max(1, named.length);
  const recall = right.length / Math.max(1, curves.filter(({ top }) => top).length);
  return {
    precision,
    recall,
    f1: (2 * precision * recall) / Math.max(1e-9, precision + recall),
    fHalf: (1.25 * precision * recall) / Math.max(1e-9, 0.25 * precision + recall),
    inTime: leads.filter((hours) => hours >= 0).length / Math.max(1, leads.length),
    hoursBefore: leads[Math.floor(leads.length / 2)] ?? Number.NaN,
  };
};

const line = (name: string, { precision, recall, fHalf, f1, inTime, hoursBefore }: Score): void => {
  const figures = [precision, recall, fHalf, f1]
    .map((value) => value.toFixed(2).padStart(6))
    .join('');
  console.log(
    `${name.padEnd(44)}${figures}${`${Math.round(inTime * 100)} %`.padStart(8)}${hoursBefore.toFixed(1).padStart(8)}`,
  );
};

const best = <T>(curves: readonly Curve[], options: readonly T[], rule: (option: T) => Rule): T =>
  options
    .map((option) => ({ option, fHalf: score(curves, rule(option)).fHalf }))
    .reduce((a, b) => (b.fHalf > a.fHalf ? b : a)).option;

const grid: SpikeThresholds[] = [500, 1_000, 2_000, 4_000].flatMap((minPace) =>
  [1, 1.5, 2, 2.5, 3].flatMap((minRatio) =>
    [0.5, 1, 1.25, 1.5].map((minBend) => ({
      minGain: minPace,
      minPace,
      minRatio,
      minBend,
      minPrecision: 0.7,
    })),
  ),
);

const { values } = parseArgs({
  options: { from: { type: 'string' }, tune: { type: 'boolean', default: false } },
});
const folder = values.from ?? realFolder;
if (!existsSync(folder)) {
  console.log(`No real curves at ${folder}: name a folder in the import format with --from PATH.`);
  process.exit(0);
}
const curves = realCurves(folder);
const half = ({ id }: Curve): boolean =>
  ((createHash('sha1').update(id).digest()[0] ?? 0) & 1) === 0;
const tuning = curves.filter(half);
const kept = curves.filter((curve) => !half(curve));

const viewsPerHour = best(
  tuning,
  [100, 200, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 50_000, 100_000],
  fixedThreshold,
);
const least = best(tuning, [0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8], zScore);
if (values.tune) {
  const chosen = best(tuning, grid, (limits) => ours(() => limits));
  console.log('best of the grid on the tuning half:', chosen);
}
const rules: [string, Rule][] = [
  ['trend.spike', ours(({ platform }) => THRESHOLDS[platform].spike)],
  [`fixed threshold, ${viewsPerHour} views per hour`, fixedThreshold(viewsPerHour)],
  [`z-score of raw differences, ${least}`, zScore(least)],
];
console.log(
  `${curves.length} curves, ${curves.filter(({ top }) => top).length} in the top tenth of their cohort; numbers chosen on ${tuning.length}, reported on ${kept.length}`,
);
console.log(
  `${''.padEnd(44)}${'  prec   rec  F0.5    F1'.padEnd(24)}${'in time'.padStart(8)}${'h before'.padStart(9)}`,
);
for (const [name, rule] of rules) line(name, score(kept, rule));
for (const [source, its] of Map.groupBy(kept, (curve) => curve.source)) {
  if (its.length < 100) continue;
  console.log(`${source}, ${its.length} curves`);
  for (const [name, rule] of rules) line(`  ${name}`, score(its, rule));
}
