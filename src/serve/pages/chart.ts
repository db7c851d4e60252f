import { html, raw } from 'hono/html';
import { linePath } from '../../base/line-path.ts';
import type { TimelinePoint } from '../../lake/read/timeline.ts';
import { digits } from './figures.ts';
import { embedded, type Html, NOTHING } from './html.ts';

const BOX = { width: 84, height: 24, margin: 2 };

/** Small line of a video's views, empty with fewer than two known counts. */
export const spark = (timeline: readonly Pick<TimelinePoint, 'at' | 'views'>[]) => {
  const line = linePath(timeline, BOX);
  if (line === undefined) return NOTHING;
  const { width, height } = BOX;
  return raw(
    `<svg class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path class="under" d="M0 ${height}L${line.path}L${width} ${height}Z"/><path d="M${line.path}"/></svg>`,
  );
};

export const CHART_ASSETS = ['uplot.css', 'uplot.js', 'chart.js'] as const;

/** Counts at one instant (Unix ms), in the order of the chart's names. Null: unknown. */
export type ChartPoint = readonly [at: number, ...counts: (number | null)[]];

export interface ChartContent {
  readonly points: readonly ChartPoint[];
  /** Names of the lines; the first one is the main line. */
  readonly names: readonly string[];
  /** Counted thing, such as views. */
  readonly unit: string;
  /** Forecast points: [Unix ms, low, median, high]. */
  readonly fan?: readonly (readonly number[])[];
}

const mainLine = ({ points }: Pick<ChartContent, 'points'>): Html =>
  spark(points.map(([at, count = null]) => ({ at, views: count })));

/** True with at least two known counts. */
export const hasLine = (points: readonly ChartPoint[]): boolean =>
  String(mainLine({ points })) !== '';

const inSeconds = (rows: readonly (readonly (number | null)[])[]): (number | null)[][] =>
  rows.map(([at = 0, ...rest]) => [(at ?? 0) / 1000, ...rest]);

/** Counts over time, one chart per page. The line works without scripts; chart.js draws over it. */
export const chart = (content: ChartContent): Html => {
  const { points, names, unit, fan = [] } = content;
  if (!hasLine(points))
    return html`<p class="soft">No chart yet: it needs two snapshots with ${unit}.</p>`;
  return html`<div class="soft small" id="read">${unit} over time (UTC), ${digits(points.length)} snapshots</div><div id="chart" data-unit="${unit}" data-names="${names.join('|')}">${mainLine(content)}</div>
<script type="application/json" id="timeline">${embedded(inSeconds(points))}</script>
<script type="application/json" id="forecast">${embedded(inSeconds(fan))}</script>`;
};
