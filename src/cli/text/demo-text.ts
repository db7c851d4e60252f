import { commandText } from '../../base/installation.ts';
import { dateOf } from '../../base/iso.ts';
import { KIND_WORDS } from '../../lake/read/subject-name.ts';
import type { Outlook } from '../../learn/forecast/outlook.ts';
import type { Overview } from '../../run/maintenance/overview.ts';
import { counted, grouped } from './figures.ts';
import { oneLine } from './text-table.ts';

const BARS = '▁▂▃▄▅▆▇█';
const WIDEST_LINE = 40;

/** Values as a line of bars, at most 40 wide. */
export const sparkline = (values: readonly number[]): string => {
  const step = Math.max(1, values.length / WIDEST_LINE);
  const shown = Array.from(
    { length: Math.ceil(values.length / step) },
    (_, i) => values[Math.min(values.length - 1, Math.round(i * step))] ?? 0,
  );
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low || 1;
  return shown.map((value) => BARS[Math.round(((value - low) / span) * 7)]).join('');
};

/** `30 days` for `30d`, `24 hours` for `24h`. */
const windowText = (window: string): string =>
  window.replace(/h$/, ' hours').replace(/d$/, ' days');

const titled = (user: string | null, title: string | null): string =>
  `${oneLine(user ?? '(nobody)')}: ${oneLine(title ?? '(no title)')}`;

const growthLines = ({ user, title, points }: NonNullable<Overview['growth']>): string[] => {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    `Most grown: ${titled(user, title)}`,
    `  ${dateOf(first.at)} ${grouped(first.views)} ${sparkline(points.map(({ views }) => views))} ${grouped(last.views)} ${dateOf(last.at)}`,
  ];
};

export const overviewText = ({ tables, top, growth, rising, noticed }: Overview): string[] => [
  'In the lake:',
  ...Object.entries(tables).map(([table, rows]) => `  ${table.padEnd(18)} ${grouped(rows)}`),
  ...(top.length > 0 ? ['Leading now:'] : []),
  ...top.map(
    ({ platform, user, title, views }) =>
      `  ${platform.padEnd(10)} ${grouped(views).padStart(13)}  ${titled(user, title)}`,
  ),
  ...(growth === undefined ? [] : growthLines(growth)),
  ...(rising.length > 0 ? ['Rising hashtags:'] : []),
  ...rising.map(
    ({ tag, before, now, window }) =>
      `  #${oneLine(tag)}: on ${grouped(now)} videos in the last ${windowText(window)}, ${grouped(before)} in the ${windowText(window)} before`,
  ),
  ...(noticed.length > 0 ? ['Events:'] : []),
  ...noticed.map(
    ({ kind, name, occurredAt }) =>
      `  ${dateOf(occurredAt)}  ${KIND_WORDS[kind]}: ${oneLine(name)}`,
  ),
];

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const likely = (probability: number): string =>
  probability > 0.99 ? '>99 %' : percent(probability);

/** An error of ln(views + 1000) as a share of the views. */
const offBy = (error: number): string => `${(100 * Math.expm1(error)).toFixed(1)} %`;

export const outlookText = ({ next, yesterday }: Outlook): string[] => [
  ...(next.length === 0
    ? [
        `No forecast for tomorrow yet. \`${commandText('status')}\` shows how much history is missing.`,
      ]
    : [
        'Not yet in the top 10 % of their cohort and most likely to get there, with views expected tomorrow:',
      ]),
  ...next.map(({ topProbability, user, title, views, median, low, high }) => {
    const ahead =
      median === null || low === null || high === null
        ? ''
        : ` -> ${grouped(median)} (80 % between ${grouped(low)} and ${grouped(high)})`;
    return `  ${likely(topProbability).padStart(5)}  ${oneLine(user ?? '(nobody)')}: ${oneLine(title ?? '(no title)', 40)}  ${grouped(views)}${ahead}`;
  }),
  ...(yesterday === null
    ? []
    : [
        `Yesterday's forecasts for today: ${counted(yesterday.judged, 'forecast')} could be checked against a new count. ${percent(yesterday.coverage)} of outcomes were inside the 80 % interval. Half of the medians were off by at most ${offBy(yesterday.error)} (${offBy(yesterday.countStays)} had the counts stayed).`,
      ]),
];
