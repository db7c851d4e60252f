import { html, raw } from 'hono/html';
import { linePath } from '../../base/line-path.ts';
import type { Lake } from '../../lake/open.ts';
import { type TimelinePoint, timeline, videoByIdAsOf } from '../../lake/read/timeline.ts';
import { digits } from './figures.ts';
import { embedded, type Html, NOTHING } from './html.ts';
import { type ChartLine, lineChart } from './line-chart.ts';

const BOX = { width: 84, height: 24, margin: 2 };

/** Small line of a video's views, empty with fewer than two known counts. */
const spark = (timeline: readonly Pick<TimelinePoint, 'at' | 'views'>[]) => {
  const line = linePath(timeline, BOX);
  if (line === undefined) return NOTHING;
  const { width, height } = BOX;
  return raw(
    `<svg class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path class="under" d="M0 ${height}L${line.path}L${width} ${height}Z"/><path d="M${line.path}"/></svg>`,
  );
};

/** Growth of a video until an instant, as a small line. Empty for an unknown video. */
export const videoSpark = (lake: Lake, id: string, at: number): Html => {
  const found = videoByIdAsOf(lake, id, at);
  return found === undefined ? NOTHING : spark(timeline(lake, found.key, at));
};

export const CHART_SCRIPTS = ['uplot.js', 'chart.js'] as const;

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
  /** Milestones: [Unix ms, count]. */
  readonly marks?: readonly (readonly [number, number])[];
  /** x is the age in ms instead of an instant. */
  readonly isByAge?: boolean;
  /** Stored snapshots that repeat a count and are left out. */
  readonly repeated?: number;
}

/** True with at least two known counts. */
export const hasLine = (points: readonly ChartPoint[]): boolean =>
  points.filter(([, ...counts]) => counts.some((count) => count !== null)).length > 1;

const inSeconds = (rows: readonly (readonly (number | null)[])[]): (number | null)[][] =>
  rows.map(([at = 0, ...rest]) => [(at ?? 0) / 1000, ...rest]);

const KINDS = ['main', 'l2', 'l3', 'l4'];

const linesOf = ({ points, names, fan = [] }: ChartContent): ChartLine[] => {
  const lines = names.map((name, i) => ({
    name,
    kind: KINDS[i] ?? 'main',
    points: points.flatMap(([at, ...counts]) => {
      const y = counts[i] ?? null;
      return y === null ? [] : [{ x: at, y }];
    }),
  }));
  const last = lines[0]?.points.at(-1);
  if (last === undefined || fan.length === 0) return lines;
  const ahead = fan.flatMap(([x = 0, , y = 0]) => (x > last.x ? [{ x, y }] : []));
  return [...lines, { name: 'forecast', kind: 'plan', points: [last, ...ahead] }];
};

const keys = (names: readonly string[]): Html =>
  names.length < 2
    ? NOTHING
    : html`<ul class="keys small soft">${names.map((name, i) => html`<li><span class="key ${KINDS[i]}">${name}</span></li>`)}</ul>`;

/** Counts over time, one chart per page. The lines work without scripts; chart.js draws over them. */
export const chart = (content: ChartContent): Html => {
  const { points, names, unit, fan = [], marks = [], isByAge = false } = content;
  if (!hasLine(points))
    return html`<p class="soft">No chart yet: it needs two snapshots with ${unit}.</p>`;
  const label = `${unit} ${isByAge ? 'by age' : 'over time (UTC)'}`;
  const repeated = content.repeated ?? 0;
  const left = repeated === 0 ? '' : `, repeated ones left out: ${digits(repeated)}`;
  const caption = `${label}, ${digits(points.length)} counts${left}`;
  const dashed =
    fan.length === 0 ? '' : '. Dashed: forecast, 8 in 10 videos land in the shaded range';
  return html`<figure class="chart"><div class="chart-over"><figcaption class="soft small">${caption}${dashed}.</figcaption><div class="chart-tools" hidden><button type="button" disabled>Reset zoom</button><button type="button" aria-pressed="false">Log axis</button><button type="button" title="Save the chart as a picture">PNG</button></div></div>${keys(names)}
<div id="chart" role="group" aria-label="${label}. Arrow keys read the points, plus and minus zoom, Escape resets." data-unit="${unit}" data-names="${names.join('|')}" data-axis="${isByAge ? 'age' : 'time'}" data-marks="${JSON.stringify(inSeconds(marks))}">${lineChart({ lines: linesOf(content), label, isByAge })}</div>
<div class="chart-range" hidden><input type="range" min="0" max="1000" value="0" aria-label="Start of the shown time"><input type="range" min="0" max="1000" value="1000" aria-label="End of the shown time"></div><p class="chart-said unseen" aria-live="polite"></p></figure>
<script type="application/json" id="timeline">${embedded(inSeconds(points))}</script>
<script type="application/json" id="forecast">${embedded(inSeconds(fan))}</script>`;
};
