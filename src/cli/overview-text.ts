import { dateOf } from '../clock.ts';
import type { GrownVideo, Overview } from '../lake/overview.ts';

const BARS = '▁▂▃▄▅▆▇█';
const WIDEST_LINE = 40;

/** Values as a line of bars, at most 40 wide, the smallest lowest. */
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

const WIDEST_TITLE = 60;
const oneLine = (title: string | null): string => {
  const text = [...(title ?? '(no title)').replace(/\s+/g, ' ').trim()];
  return text.length <= WIDEST_TITLE
    ? text.join('')
    : `${text.slice(0, WIDEST_TITLE - 1).join('')}…`;
};

const number = (value: number): string => value.toLocaleString('en');

const growthLines = ({ user, title, points }: GrownVideo): string[] => {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    `Most grown: ${user ?? '(nobody)'}: ${oneLine(title)}`,
    `  ${dateOf(first.at)} ${number(first.views)} ${sparkline(points.map(({ views }) => views))} ${number(last.views)} ${dateOf(last.at)}`,
  ];
};

/** An overview as lines for people. */
export const overviewText = ({ tables, top, growth, rising, noticed }: Overview): string[] => [
  'In the lake:',
  ...Object.entries(tables).map(([table, rows]) => `  ${table.padEnd(18)} ${number(rows)}`),
  ...(top.length > 0 ? ['Leading now:'] : []),
  ...top.map(
    ({ platform, user, title, views }) =>
      `  ${platform.padEnd(10)} ${number(views).padStart(13)}  ${user ?? '(nobody)'}: ${oneLine(title)}`,
  ),
  ...(growth === undefined ? [] : growthLines(growth)),
  ...(rising.length > 0 ? ['Rising hashtags:'] : []),
  ...rising.map(
    ({ tag, before, now }) =>
      `  #${tag}: on ${number(now)} videos of the last three days, ${number(before)} of the three before`,
  ),
  ...(noticed.length > 0 ? ['Noticed:'] : []),
  ...noticed.map(({ kind, subject, occurredAt }) => `  ${dateOf(occurredAt)} ${kind} ${subject}`),
];
