import { html } from 'hono/html';
import { digits } from './figures.ts';
import { embedded, type Html } from './html.ts';
import { spark } from './spark.ts';

/** Files that a page with a chart loads. */
export const CHART_ASSETS = ['uplot.css', 'uplot.js', 'chart.js'] as const;

/** Counts at one instant (Unix ms), in the order of the chart's names; null: not known. */
export type ChartPoint = readonly [at: number, ...counts: (number | null)[]];

/** What a chart shows: the first name is its main line. */
export interface ChartWish {
  readonly points: readonly ChartPoint[];
  /** Of the lines; one name is the unit of a chart of one line. */
  readonly names: readonly string[];
  /** What is counted, such as views. */
  readonly unit: string;
  /** [Unix ms, low, median, high] ahead of the points. */
  readonly fan?: readonly (readonly number[])[];
}

const mainLine = ({ points }: Pick<ChartWish, 'points'>): Html =>
  spark(points.map(([at, count = null]) => ({ at, views: count })));

/** Two instants that tell a count make a line; fewer make no chart. */
export const hasLine = (points: readonly ChartPoint[]): boolean =>
  String(mainLine({ points })) !== '';

const inSeconds = (rows: readonly (readonly (number | null)[])[]): (number | null)[][] =>
  rows.map(([at = 0, ...rest]) => [(at ?? 0) / 1000, ...rest]);

/**
 * Counts over time, one chart a page: a line that needs no script, until the script draws over it. Says
 * so where there are too few points.
 */
export const chart = (wish: ChartWish): Html => {
  const { points, names, unit, fan = [] } = wish;
  if (!hasLine(points))
    return html`<p class="soft">A curve needs two snapshots that tell ${unit}.</p>`;
  return html`<div class="soft small" id="read">${unit} over time (UTC), ${digits(points.length)} snapshots</div><div id="chart" data-unit="${unit}" data-names="${names.join('|')}">${mainLine(wish)}</div>
<script type="application/json" id="timeline">${embedded(inSeconds(points))}</script>
<script type="application/json" id="forecast">${embedded(inSeconds(fan))}</script>`;
};
