import type { Platform } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import type { Reliability } from '../../learn/forecast/reliability.ts';
import { type ScoredWeek, scoredWeeks } from '../../learn/forecast/weeks.ts';
import type { CliIo } from '../context/io.ts';
import { grouped } from './figures.ts';
import { textTable } from './text-table.ts';

const HEAD = [
  'week from',
  'of',
  'platform',
  'ahead',
  'judged',
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

const rowOf = ({ from, of, platform, hours, score, calibration }: ScoredWeek): string[] => [
  isoOf(from).slice(0, 10),
  of,
  platform === '' ? 'all' : platform,
  `${hours} h`,
  grouped(score.judged),
  ...[score.error, score.countStays, score.paceGoesOn, score.cohortMedian].map(errorText),
  percent(score.coverage),
  errorText(calibration?.error),
];

/** What probabilities of each tenth stated, and what came. */
const reliabilityText = (platform: Platform, { judged, error, brier, bins }: Reliability): string =>
  `${platform}, on top: ${grouped(judged)} probabilities held against what came, calibration error ${error.toFixed(3)}, Brier score ${brier.toFixed(3)}; forecast > outcome: ${bins
    .filter((bin) => bin.judged > 0)
    .map((bin) => `${percent(bin.stated)} > ${percent(bin.came)} (${grouped(bin.judged)})`)
    .join(', ')}`;

/** How earlier forecasts did, week by week: a document for programs, lines for people. */
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
    textTable(HEAD, weeks.map(rowOf), { columns: io.columns }),
    'Errors are medians of |ln(views + 1000) - what came|, of hashtags of ln(volume + 10); inside: share of what came within the 80 % intervals; calibration: mean distance between the probabilities to end on top and what came, where curves are finished.',
    ...reliability.map(([of, its]) => reliabilityText(of, its)),
  ];
  return {
    document: weeks.map(({ from, ...week }) => ({ from: isoOf(from), ...week })),
    lines: weeks.length === 0 ? () => ['No forecast has come true or false yet.'] : lines,
  };
};
