import { html } from 'hono/html';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/durations.ts';
import { dateOf, isoOf, minuteOf } from '../../base/iso.ts';
import type { TimeMarks } from '../../lake/read/time-marks.ts';
import { type Html, NOTHING } from './html.ts';
import { instantText, linkAt, type PageView } from './page-view.ts';

const RANGES = [
  { name: '1 h ago', backMs: HOUR_MS },
  { name: 'yesterday', backMs: DAY_MS },
  { name: 'a week ago', backMs: 7 * DAY_MS },
  { name: 'a month ago', backMs: 30 * DAY_MS },
];

/** Minute that shows data of an instant. */
const minuteAfter = (at: number): number => Math.ceil((at + 1) / MINUTE_MS) * MINUTE_MS;

/** Link to an instant (Unix ms; null: there is none). From `now` on it means the present. */
const arrow = (
  view: PageView,
  to: number | null,
  { sign, name, key }: { readonly sign: string; readonly name: string; readonly key: string },
): Html => {
  if (to === null || (to > view.at && !view.isPast))
    return html`<span class="arrow off" aria-hidden="true">${sign}</span>`;
  const address = linkAt(view, to >= view.now ? undefined : to);
  return html`<a class="arrow" href="${address}" data-key="${key}" aria-label="${name}" title="${name}: ${key.replace('Arrow', '')} key">${sign}</a>`;
};

const stepsOf = (view: PageView, { previous, next }: TimeMarks): readonly Html[] => {
  const [before, after] = [previous, next].map((at) => (at === null ? null : minuteAfter(at)));
  return [
    arrow(view, before ?? null, { sign: '«', name: 'previous pull', key: 'Shift+ArrowLeft' }),
    arrow(view, view.at - DAY_MS, { sign: '‹', name: 'a day earlier', key: 'ArrowLeft' }),
    arrow(view, view.at + DAY_MS, { sign: '›', name: 'a day later', key: 'ArrowRight' }),
    arrow(view, after ?? null, { sign: '»', name: 'next pull', key: 'Shift+ArrowRight' }),
  ];
};

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

const monthOf = (at: number, months: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
};

/** Month of the instant, with a link on each day that has data, to the end of that data. */
const calendar = (view: PageView, { days, firstAt, pulls }: TimeMarks): Html => {
  const start = monthOf(view.at, 0);
  const end = monthOf(view.at, 1);
  const blanks = (new Date(start).getUTCDay() + 6) % 7;
  const dates = Array.from({ length: Math.round((end - start) / DAY_MS) }, (_, day) =>
    dateOf(start + day * DAY_MS),
  );
  const cell = (date: string): Html => {
    const newest = days.get(date);
    const day = Number(date.slice(8));
    if (newest === undefined) return html`<span>${day}</span>`;
    const isShown = date === dateOf(view.at);
    return html`<a href="${linkAt(view, minuteAfter(newest))}" aria-label="${date}"${isShown ? html` aria-current="date"` : NOTHING}>${day}</a>`;
  };
  const month = (sign: string, name: string, to: number, isThere: boolean): Html =>
    isThere
      ? html`<a class="arrow" href="${linkAt(view, Math.min(to, view.now))}" aria-label="${name}">${sign}</a>`
      : html`<span class="arrow off" aria-hidden="true">${sign}</span>`;
  return html`<div class="month"><p>${month('‹', 'the month before', start - MINUTE_MS, firstAt !== null && firstAt < start)} <b>${isoOf(start).slice(0, 7)}</b> ${month('›', 'the month after', monthOf(view.at, 2) - MINUTE_MS, end < view.now)}</p>
<div class="days">${WEEKDAYS.map((name) => html`<span class="soft small">${name}</span>`)}${Array.from({ length: blanks }, () => html`<span></span>`)}${dates.map(cell)}</div>
<p class="soft small">Linked days have data.</p>${pulls.length === 0 ? NOTHING : html`<p class="pulls small">Pulls of ${dateOf(view.at)}: ${pulls.map((at) => html`<a href="${linkAt(view, minuteAfter(at))}">${isoOf(at).slice(11, 16)}</a> `)}</p>`}</div>`;
};

/** Slider over the life of the lake, for browsers with scripts. */
const slider = ({ at, now }: PageView, { firstAt }: TimeMarks): Html =>
  firstAt === null || now - firstAt < HOUR_MS
    ? NOTHING
    : html`<label class="life scripted"><span class="soft small">since ${dateOf(firstAt)}</span><input type="range" data-life min="${firstAt}" max="${now}" step="${HOUR_MS}" value="${at}" aria-label="instant"></label>`;

/** Field for an instant, shown as on all pages: ISO date, 24 hours, UTC. */
export const instantInput = (name: string, at: number): Html =>
  html`<input name="${name}" value="${instantText(at).slice(0, 16).replace('T', ' ')}" size="16" maxlength="20" pattern="[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2})?Z?" title="such as 2026-03-01 12:00" autocomplete="off" required>`;

/** Field for an instant, steps, calendar and quick ranges. Every link of the page keeps `asOf`. */
export const timeBar = (view: PageView): Html => {
  const marks = view.marks();
  const steps = stepsOf(view, marks);
  const kept = Object.entries(view.query).filter(([name]) => name !== 'page');
  return html`<form class="time${view.isPast ? ' past' : ''}" method="get" action="${view.path}" aria-label="Time travel">
  ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
  <span class="arrows">${steps.slice(0, 2)}</span>
  <label class="pick"><span class="soft small">as of, UTC</span> ${instantInput('asOf', view.at)}</label><button>go</button>
  <span class="arrows">${steps.slice(2)}</span>
  <details class="calendar small"><summary>calendar</summary><div class="card">${calendar(view, marks)}${slider(view, marks)}</div></details>
  <span class="ranges small">${view.isPast ? html`<a class="now" href="${linkAt(view, undefined)}">now</a>` : html`<span class="now" aria-current="time">now</span>`}
    ${RANGES.map(({ name, backMs }) => html`<a href="${linkAt(view, view.now - backMs)}">${name}</a>`)}</span>
  ${view.isPast ? html`<p class="then small" role="status">Showing data as of <b>${minuteOf(view.at)}</b>.</p>` : NOTHING}
</form>`;
};
