import { html, raw } from 'hono/html';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import { inHours, number } from './figures.ts';
import type { Html } from './html.ts';

/** One line of a chart, its points ordered by x. */
export interface ChartLine {
  readonly name: string;
  /** CSS class: `main`, `plan`, `even`, or `c0` to `c3`. */
  readonly kind: string;
  /** x is Unix ms. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Drawn as steps: a value holds until the next point. */
  readonly isStepped?: boolean;
}

export interface LineChart {
  readonly lines: readonly ChartLine[];
  /** For screen readers. */
  readonly label: string;
  /** Vertical mark, such as the present. */
  readonly mark?: { readonly x: number; readonly name: string };
  /** x is an age in ms. */
  readonly isByAge?: boolean;
}

const WIDTH = 1000;
const HEIGHT = 300;

/** About four round steps that cover 0 and all values. */
const yTicks = (least: number, most: number): number[] => {
  const low = Math.min(0, least);
  const span = Math.max(most - low, 1e-9);
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((size) => span / size <= 4.5) ?? span;
  const first = Math.floor(low / step);
  const last = Math.ceil(most / step);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
};

const timeTicks = (from: number, to: number): number[] => {
  const days = (to - from) / DAY_MS;
  const step =
    [1 / 24, 1 / 8, 1 / 4, 1, 2, 7, 14, 30, 90, 365].find((size) => days / size <= 6) ?? 730;
  const stepMs = step * DAY_MS;
  const first = Math.ceil(from / stepMs) * stepMs;
  return Array.from({ length: 8 }, (_, i) => first + i * stepMs).filter((at) => at <= to);
};

const timeName = (at: number, spanMs: number): string => {
  const iso = isoOf(at);
  if (spanMs > 400 * DAY_MS) return iso.slice(0, 7);
  return spanMs > 2 * DAY_MS ? iso.slice(5, 10) : iso.slice(11, 16);
};

/** Line chart as SVG without scripts. The text stays in HTML, so it does not scale with the chart. */
export const lineChart = ({ lines, label, mark, isByAge = false }: LineChart): Html => {
  const points = lines.flatMap((line) => line.points);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const ticks = yTicks(Math.min(...ys), Math.max(...ys));
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const left = (x: number): number => (to === from ? 0.5 : (x - from) / (to - from));
  const top = (y: number): number => 1 - (y - low) / (high - low || 1);
  const at = ({ x, y }: { x: number; y: number }): string =>
    `${(left(x) * WIDTH).toFixed(1)} ${(top(y) * HEIGHT).toFixed(1)}`;
  const path = ({ points, isStepped }: ChartLine): string =>
    points
      .map((point, i) => {
        const before = points[i - 1];
        if (before === undefined) return `M${at(point)}`;
        return isStepped === true
          ? `H${(left(point.x) * WIDTH).toFixed(1)}V${(top(point.y) * HEIGHT).toFixed(1)}`
          : `L${at(point)}`;
      })
      .join('');
  const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;
  return html`<figure class="lines">
<div class="plot" role="img" aria-label="${label}"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${ticks.map((tick) => raw(`<path class="rule" d="M0 ${(top(tick) * HEIGHT).toFixed(1)}H${WIDTH}"/>`))}${
    mark === undefined
      ? ''
      : raw(`<path class="now" d="M${(left(mark.x) * WIDTH).toFixed(1)} 0V${HEIGHT}"/>`)
  }${lines.map((line) => raw(`<path class="line ${line.kind}" d="${path(line)}"/>`))}</svg>
${ticks.map((tick) => html`<span class="y" style="top:${percent(top(tick))}">${number(tick)}</span>`)}${
  mark === undefined
    ? ''
    : html`<span class="at${left(mark.x) > 0.8 ? ' end' : ''}" style="left:${percent(left(mark.x))}">${mark.name}</span>`
}</div>
<div class="xs" aria-hidden="true">${timeTicks(from, to).map((tick) => html`<span style="left:${percent(left(tick))}">${isByAge ? inHours(Math.round(tick / HOUR_MS)) : timeName(tick, to - from)}</span>`)}</div>
<figcaption class="small">${lines.map(({ name, kind }) => html`<span class="key ${kind}">${name}</span>`)}</figcaption></figure>`;
};
