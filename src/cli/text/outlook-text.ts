import { commandText } from '../../base/installation.ts';
import type { Outlook } from '../../learn/forecast/outlook.ts';
import { counted, grouped } from './figures.ts';
import { oneLine } from './text-table.ts';

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
