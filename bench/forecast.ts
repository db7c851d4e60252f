import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { realFolder } from '../fixtures/real-data.ts';
import { THRESHOLDS } from '../src/alerts/events/thresholds.ts';
import { trendSpikes } from '../src/alerts/events/trend-spike.ts';
import { systemClock } from '../src/base/clock.ts';
import { DAY_MS } from '../src/base/durations.ts';
import { HORIZONS } from '../src/learn/model/horizons.ts';
import { LEAST_FINISHED } from '../src/learn/model/learn.ts';
import { measureLargeLake } from './forecast/large-lake.ts';
import { type Curve, realCurves } from './forecast/real-curves.ts';
import { type Asked, daysOf, type Replay, replay } from './forecast/replay.ts';
import { oracleOf, paceOf, probabilityOf, riseOver, risingLists } from './forecast/rising.ts';
import * as scores from './forecast/scores.ts';
import { type VolumeReplay, volumeReplays } from './forecast/volume-replay.ts';

// Quality of forecasts on real curves, replayed as time goes: learn on what was known by a night,
// ask about what comes after, night after night. Ends "on top" are those of bench/events.ts.
//
//   npm run bench forecast [-- --from PATH]
//   npm run bench forecast -- --lake 1000000     learning on a made lake of so many videos

const { values } = parseArgs({
  options: { from: { type: 'string' }, lake: { type: 'string' } },
});
if (values.lake !== undefined) {
  measureLargeLake(Number(values.lake));
  process.exit(0);
}
const folder = values.from ?? realFolder;
if (!existsSync(folder)) {
  console.log(`No real curves at ${folder}: name a folder in the import format with --from PATH.`);
  process.exit(0);
}

const fixed = (value: number | undefined, digits: number, width: number): string =>
  (value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits)).padStart(width);
const percent = (value: number): string => fixed(100 * value, 1, 6);

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
const spikeAt = ({ platform, snapshots, createdAt }: Curve): number | undefined =>
  trendSpikes({ snapshots, createdAt }, everything, THRESHOLDS[platform].spike)[0]?.window.to;

const namingLine = (name: string, its: scores.Naming | undefined): void => {
  if (its === undefined) {
    console.log(`  ${name.padEnd(46)} never reached`);
    return;
  }
  const { precision, recall, recallBefore, f1, inTime, leadHours } = its;
  console.log(
    `  ${name.padEnd(46)}${[precision, recall, recallBefore, f1].map((value) => fixed(value, 2, 7)).join('')}${percent(inTime)} %${fixed(leadHours, 1, 8)}`,
  );
};

const report = (name: string, asked: readonly Asked[]): void => {
  if (asked.length === 0) return;
  const curves = [...new Set(asked.map(({ curve }) => curve))];
  const { bins, error, brier } = scores.calibration(asked);
  console.log(
    `\n${name}: ${asked.length} questions about ${curves.length} curves, ${curves.filter(({ top }) => top).length} of which end on top`,
  );
  console.log(
    `  ${'named at the first snapshot over'.padEnd(46)}   prec    rec before     F1 in time  h before`,
  );
  namingLine('trend.spike by pace', scores.naming(curves, spikeAt));
  namingLine(
    'trend.spike by forecast, precision 0.7 asked',
    scores.naming(curves, scores.namedBySpike(asked)),
  );
  for (const precision of [0.64, 0.72, 0.8]) {
    const its = scores.atPrecision(asked, curves, precision);
    namingLine(`precision ${precision} (probability ${fixed(its?.least, 2, 0)})`, its);
  }
  const at = scores.namedAt(asked);
  for (const least of [0.3, 0.5, 0.7])
    namingLine(`probability ${least}`, scores.naming(curves, at(least)));
  const lists = { 'by probability': probabilityOf, 'by views per hour': paceOf, oracle: oracleOf };
  console.log(
    '  20 a day, not over the edge:      end on top  hours ahead  share of all tops named before',
  );
  for (const [order, scoreOf] of Object.entries(lists)) {
    const { days, precision, leadHours, recall } = risingLists(asked, scoreOf);
    if (days === 0) continue;
    console.log(
      `    ${order.padEnd(30)} ${fixed(precision, 2, 11)} ${fixed(leadHours, 0, 12)} ${fixed(recall, 2, 9)}   (${days} days)`,
    );
  }
  const { rows, within, hours: ahead } = riseOver(asked);
  console.log(
    `  "likely over by": ${percent(within)} % of ${rows} were over by then (80 asked), ${fixed(ahead, 0, 0)} h ahead`,
  );
  console.log(
    `  calibration error ${fixed(error, 3, 0)}, Brier ${fixed(brier, 4, 0)}; forecast > outcome (questions):`,
  );
  console.log(
    `    ${bins.map((bin) => `${fixed(bin.stated, 2, 0)}>${fixed(bin.came, 2, 0)} (${bin.judged})`).join('  ')}`,
  );
  const sights = asked.filter(({ position }) => position === 0);
  console.log(
    `  at first sight: ${sights.length} questions, AUC ${fixed(scores.rankingOf(sights), 3, 0)}, Brier ${fixed(scores.calibration(sights).brier, 4, 0)}`,
  );
  console.log(
    '  views      asked  error  count stays  pace goes on  cohort median   x best  in interval  width  pinball  withheld',
  );
  for (const hours of HORIZONS) {
    const its = scores.views(asked, hours);
    if (its.rows === 0) continue;
    console.log(
      `  +${String(hours).padEnd(4)} h ${String(its.rows).padStart(8)} ${fixed(its.error, 4, 6)}${its.baselines.map((one) => fixed(one.error, 4, 13)).join('')}   ${fixed(its.ratio, 2, 8)}${percent(its.coverage)} %  ${fixed(its.width, 2, 9)} ${fixed(its.pinball, 4, 8)} ${percent(its.withheld / its.rows)} %`,
    );
  }
};

const reportHashtags = (its: VolumeReplay): void => {
  const { source, of, tags, weeks, asked, inside, errors } = its;
  if (asked === 0) {
    console.log(`  ${source}, ${of}: ${tags} tags, too few outcomes: silent throughout`);
    return;
  }
  const row = (name: string, errorOf: (its: VolumeReplay['errors'][number]) => number): void => {
    const all = errors.map(errorOf).sort((a, b) => a - b);
    const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
    console.log(`    ${name.padEnd(16)}${fixed(all[all.length >> 1], 4, 8)}${fixed(mean, 4, 8)}`);
  };
  console.log(
    `  ${source}, ${of}: ${tags} tags, ${weeks} weekly learnings, ${asked} questions; ${percent(inside / asked)} % inside the 80 % interval; errors, median and mean:`,
  );
  row('forecast', ({ forecast }) => forecast);
  row('count stays', ({ countStays }) => countStays);
  row('pace goes on', ({ paceGoesOn }) => paceGoesOn);
  row('cohort median', ({ cohortMedian }) => cohortMedian);
};

const bySource = Map.groupBy(realCurves(folder), ({ source }) => source);
const replays: Replay[] = [...bySource].map(([source, curves]) =>
  replay(source, curves, systemClock.monotonic),
);
const asked = replays.flatMap((its) => its.asked);

report('all sources', asked);
for (const its of replays) report(its.source, its.asked);

console.log('\nShare of what came inside the 80 % interval of shown forecasts (questions, curves)');
const whole = asked.flatMap(({ ahead }) => ahead.filter(({ isWithheld }) => !isWithheld));
console.log(
  `  ${'overall'.padEnd(50)} ${String(whole.length).padStart(8)} ${''.padStart(6)} ${percent(scores.coverage(whole))} %`,
);
const isOff = ({ coverage }: { readonly coverage: number }): boolean =>
  coverage < 0.79 || coverage > 0.86;
const covered = scores.coverageByClass(asked);
for (const { name, rows, curves, coverage, standardError } of covered)
  console.log(
    `  ${name.padEnd(50)} ${String(rows).padStart(8)} ${String(curves).padStart(6)} ${percent(coverage)} ±${percent(standardError)} %${isOff({ coverage }) ? ' *' : ''}`,
  );
for (const least of [1, 100, 200]) {
  const classes = covered.filter(({ isFinest, curves }) => isFinest && curves >= least);
  console.log(
    `  outside 79 to 86 %: ${classes.filter(isOff).length} of ${classes.length} classes with ${least} curves or more`,
  );
}

console.log(
  '\nWeek by week, all sources: forecasts made in it against what came (medians of |ln(views + 1000) - truth| a day ahead)',
);
console.log(
  '  week from     asked  calibration    Brier   error  count stays  pace goes on  cohort median  in interval',
);
const WEEK_MS = 7 * DAY_MS;
const MONDAY_MS = 4 * DAY_MS;
const weekOf = ({ at }: Asked): number =>
  Math.floor((at - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;
for (const [from, its] of [...Map.groupBy(asked, weekOf)].sort(([a], [b]) => a - b)) {
  const { error, brier } = scores.calibration(its);
  const day = scores.views(its, 24);
  console.log(
    `  ${new Date(from).toISOString().slice(0, 10)} ${String(its.length).padStart(8)} ${fixed(error, 3, 12)} ${fixed(brier, 4, 8)}  ${fixed(day.error, 4, 6)}${day.baselines.map((one) => fixed(one.error, 4, 13)).join('')}   ${percent(scores.coverage(its.flatMap(({ ahead }) => ahead)))} %`,
  );
}

console.log(`\nEach source was unseen at first: silent below ${LEAST_FINISHED} finished curves`);
for (const its of replays) {
  const { source, firstAt, voice, silent, mostFinished, learnings, learnMs, asked, stepMs } = its;
  const early = asked.filter(({ at }) => voice !== undefined && at <= voice.at + 4 * stepMs);
  const curves = [...new Set(early.map(({ curve }) => curve))];
  const named = scores.naming(curves, scores.namedAt(early)(0.7));
  const soon = voice === undefined ? [] : asked.filter(({ at }) => at < voice.at + 3 * 86_400_000);
  console.log(
    voice === undefined
      ? `  ${source.padEnd(18)} silent throughout: ${mostFinished} finished curves at most, ${silent} questions unanswered`
      : `  ${source.padEnd(18)} speaks after ${daysOf(voice.at - firstAt)} days with ${voice.finished} finished curves, ${silent} questions unanswered; calibration error of its first 3 days ${fixed(scores.calibration(soon).error, 3, 0)} (${soon.length}); of the first four models, ${percent(named.precision)} % of ${named.named} named at 0.7 end on top; ${learnings} learnings, the longest ${Math.round(learnMs)} ms`,
  );
}

console.log('\nHashtags a week ahead, learnt week by week');
for (const its of await volumeReplays(folder)) reportHashtags(its);
