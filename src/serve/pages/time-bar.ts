import { html } from 'hono/html';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { minuteOf } from '../../base/iso.ts';
import { type Html, NOTHING } from './html.ts';
import { instantText, linkAt, type PageView } from './page-view.ts';

const RANGES = [
  { name: '1 h ago', backMs: HOUR_MS },
  { name: 'yesterday', backMs: DAY_MS },
  { name: 'a week ago', backMs: 7 * DAY_MS },
  { name: 'a month ago', backMs: 30 * DAY_MS },
];

const ARROWS = [
  { sign: '«', name: 'a week earlier', byMs: -7 * DAY_MS, key: 'Shift+ArrowLeft' },
  { sign: '‹', name: 'a day earlier', byMs: -DAY_MS, key: 'ArrowLeft' },
  { sign: '›', name: 'a day later', byMs: DAY_MS, key: 'ArrowRight' },
  { sign: '»', name: 'a week later', byMs: 7 * DAY_MS, key: 'Shift+ArrowRight' },
];

/** Link one step through time. A step past the present leads to the present. */
const arrow = (view: PageView, { sign, name, byMs, key }: (typeof ARROWS)[number]): Html => {
  if (byMs > 0 && !view.isPast)
    return html`<span class="arrow off" aria-hidden="true">${sign}</span>`;
  const to = view.at + byMs;
  const address = linkAt(view, to >= view.now ? undefined : to);
  return html`<a class="arrow" href="${address}" data-key="${key}" aria-label="${name}" title="${name}: ${key.replace('Arrow', '')} key">${sign}</a>`;
};

/** Date picker, arrows and quick ranges, without scripts. Every link of the page keeps `asOf`. */
export const timeBar = (view: PageView): Html => {
  const kept = Object.entries(view.query).filter(([name]) => name !== 'page');
  const picked = instantText(view.at).slice(0, 16);
  return html`<form class="time${view.isPast ? ' past' : ''}" method="get" action="${view.path}" aria-label="Time travel">
  ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
  <span class="arrows">${ARROWS.slice(0, 2).map((step) => arrow(view, step))}</span>
  <label class="pick"><span class="soft small">as of, UTC</span> <input type="datetime-local" name="asOf" value="${picked}" max="${instantText(view.now).slice(0, 16)}" required></label><button>go</button>
  <span class="arrows">${ARROWS.slice(2).map((step) => arrow(view, step))}</span>
  <span class="ranges small">${view.isPast ? html`<a class="now" href="${linkAt(view, undefined)}">now</a>` : html`<span class="now" aria-current="time">now</span>`}
    ${RANGES.map(({ name, backMs }) => html`<a href="${linkAt(view, view.now - backMs)}">${name}</a>`)}</span>
  ${view.isPast ? html`<p class="then small" role="status">Showing data as of <b>${minuteOf(view.at)}</b>.</p>` : NOTHING}
</form>`;
};
