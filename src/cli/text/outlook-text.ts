import { commandText } from '../../base/installation.ts';
import type { Outlook } from '../../learn/forecast/outlook.ts';
import { counted, grouped } from './figures.ts';
import { oneLine } from './text-table.ts';

const percent = (share: number): string => `${Math.round(100 * share)} %`;
/** Never certain. */
const likely = (probability: number): string =>
  probability > 0.99 ? '>99 %' : percent(probability);

/** An outlook as lines for people; silent where nothing is forecast. */
export const outlookText = ({ next, yesterday }: Outlook): string[] => [
  ...(next.length === 0
    ? [
        `Tomorrow: nothing is forecast; \`${commandText('status')}\` says how many finished curves are lacking.`,
      ]
    : ['Likeliest to end in the top tenth of their cohort, and their views tomorrow:']),
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
        `How yesterday's did: ${counted(yesterday.judged, 'forecast')} a day ahead came due; ${percent(yesterday.coverage)} of what came lay inside its 80 % interval, median error ${yesterday.error.toFixed(3)} of ln(views + 1000) (${yesterday.countStays.toFixed(3)} had the counts stayed).`,
      ]),
];
