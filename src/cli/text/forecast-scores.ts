import type { Platform } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import type { Reliability } from '../../learn/forecast/reliability.ts';
import { type ForecastState, kindWords } from '../../learn/forecast/state.ts';
import { type ScoredWeek, scoredWeeks } from '../../learn/forecast/weeks.ts';
import type { CliIo } from '../context/io.ts';
import { grouped } from './figures.ts';

/** Horizons that are not shown, with the reason. */
const withheldText = ({ withheld }: Pick<ForecastState, 'withheld'>): string =>
  withheld.map(({ hours, reason }) => `; views in ${hours} h are not shown: ${reason}`).join('');

/** State of one platform's forecasts, on one line. */
export const forecastStateText = (forecast: ForecastState): string => {
  const name = `  ${(forecast.platform === '' ? 'all' : forecast.platform).padEnd(10)} ${kindWords(forecast.kind).padEnd(24)} `;
  const learnt = forecast.learntAt === null ? '' : `, learned ${isoOf(forecast.learntAt)}`;
  if (forecast.state === 'used')
    return `${name}from ${grouped(forecast.finished)} ${forecast.counts}${learnt}${withheldText(forecast)}`;
  if (forecast.state === 'dropped')
    return `${name}not used: ${forecast.reason ?? 'unknown'}${learnt}`;
  if (forecast.state === 'waiting') return `${name}learned after the next sync`;
  return `${name}needs ${grouped(forecast.finished + forecast.lacking)} ${forecast.counts}, has ${grouped(forecast.finished)}`;
};

const HEAD = [
  'week from',
  'of',
  'platform',
  'ahead',
  'judged',
  'of due',
  'error',
  'count stays',
  'pace goes on',
  'cohort median',
  'inside',
  'calibration',
];
const percent = (share: number): string => `${Math.round(100 * share)} %`;
const errorText = (error: number | null | undefined): string =>
  error === null || error === undefined ? '-' : error.toFixed(3);

const rowOf = ({ from, of, platform, hours, score, due, calibration }: ScoredWeek): string[] => [
  isoOf(from).slice(0, 10),
  of,
  platform === '' ? 'all' : platform,
  `${hours} h`,
  grouped(score.judged),
  percent(score.judged / Math.max(1, due)),
  ...[score.error, score.countStays, score.paceGoesOn, score.cohortMedian].map(errorText),
  percent(score.coverage),
  errorText(calibration?.error),
];

/** Forecast probability against outcome, by tenth. */
const reliabilityText = (platform: Platform, { judged, error, brier, bins }: Reliability): string =>
  `${platform}, on top: ${grouped(judged)} probabilities compared with the outcome, calibration error ${error.toFixed(3)}, Brier score ${brier.toFixed(3)}; forecast > outcome: ${bins
    .filter((bin) => bin.judged > 0)
    .map((bin) => `${percent(bin.stated)} > ${percent(bin.came)} (${grouped(bin.judged)})`)
    .join(', ')}`;

/** Scores of earlier forecasts by week: a document for programs, lines for people. */
export const scoresShown = (
  lake: Lake,
  { platform }: { readonly platform?: Platform },
  io: CliIo,
): { document: unknown; lines: () => string[] } => {
  const scored = scoredWeeks(lake.sqlite, io.clock.now());
  const weeks = scored.weeks.filter((week) => platform === undefined || week.platform === platform);
  const reliability = [...scored.reliability].filter(
    ([of]) => platform === undefined || of === platform,
  );
  const lines = (): string[] => [
    io.table(HEAD, weeks.map(rowOf)),
    'of due: share of the forecasts that came due and have a later count; the others are videos that nothing showed again, so these scores say nothing about them. Large lakes are judged on a sample of videos.',
    'error: median of |ln(views + 1000) - outcome|, for hashtags of ln(volume + 10). inside: share of outcomes within the 80 % interval. calibration: mean distance between the probability to finish in the top 10 % and the outcome, for finished curves.',
    ...reliability.map(([name, scores]) => reliabilityText(name, scores)),
  ];
  return {
    document: weeks.map(({ from, ...week }) => ({ from: isoOf(from), ...week })),
    lines: weeks.length === 0 ? () => ['No forecast is due yet.'] : lines,
  };
};
