import { html, raw } from 'hono/html';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { minuteOf } from '../../base/iso.ts';
import { ago } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { ICON, MARK } from './icon.ts';
import { isWithin, NAVIGATION } from './navigation.ts';
import { instantText, linkAt, linkHere, linkTo, type PageView } from './page-view.ts';

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
const timeBar = (view: PageView): Html => {
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

/** Choice of a tag, if there are any. The address keeps it. */
const lens = (view: PageView): Html => {
  const { tag } = view.query;
  if (view.tags.length === 0 && tag === undefined) return NOTHING;
  const link = (name: string, chosen: string | undefined): Html =>
    html`<a href="${linkHere(view, { tag: chosen })}"${tag === chosen ? raw(' aria-current="true"') : ''}>${name}</a>`;
  return html`<details class="lens small"><summary>tag: <b>${tag ?? 'all'}</b></summary><nav class="tabs" aria-label="Tag">${link('all', undefined)}${view.tags.map((name) => link(name, name))}</nav></details>`;
};

export interface FramedPage {
  /** Title of the browser tab and text of the `h1`. */
  readonly title: string;
  /** Shown beside the title. */
  readonly about?: Html;
  /** Sections (`<section>` with an `h2` each); laid out in one column, or two with `class="stack"`. */
  readonly main: Html;
  /** Data time of the newest pulled list on the page, Unix ms. Null or absent: no pulled list. */
  readonly pulledAt?: number | null;
  /** Newest count of the page's subject, Unix ms. Null or absent: the lake's newest count is shown. */
  readonly countedAt?: number | null;
  /** Action of an open page when the lake changes; the default is `exchange`. Pages of the past never change. */
  readonly whenChanged?: 'exchange' | 'tell' | 'nothing';
  /** Names of files under /assets. */
  readonly assets?: readonly string[];
  /** False hides the time bar. */
  readonly isTimed?: boolean;
}

const FRESH_MS = 1.5 * DAY_MS; // a nightly sync, and half a day of grace

/** Age of the newest list, else of the newest count, else of the newest snapshot in the lake. */
const freshness = (
  { at, newestSnapshot }: PageView,
  { pulledAt, countedAt }: { readonly pulledAt: number | null; readonly countedAt: number | null },
): Html => {
  const newest = pulledAt ?? countedAt ?? newestSnapshot;
  const counted = countedAt === null ? 'newest count' : 'counted';
  const what = pulledAt === null ? counted : 'lists as of';
  const text = newest === null ? 'no data yet' : `${what} ${ago(newest, at)}`;
  const isFresh = newest !== null && at - newest < FRESH_MS;
  return html`<span class="dot${isFresh ? ' fresh' : ''}"></span>${text} · ${minuteOf(at)}`;
};

const navigation = (view: PageView): Html =>
  html`<nav class="pages" aria-label="Pages">${NAVIGATION.map(
    ({ path, name }) =>
      html`<a href="${linkTo(view, path)}"${isWithin(view.path, path) ? raw(' aria-current="page"') : ''}>${name}</a>`,
  )}</nav>`;

const assetTag = (name: string): Html =>
  name.endsWith('.css')
    ? html`<link rel="stylesheet" href="/assets/${name}">`
    : html`<script src="/assets/${name}" defer></script>`;

/** Lake version of the page and its action on changes, for page.js. */
const follows = ({ isPast, version }: PageView, whenChanged: string): Html =>
  isPast || whenChanged === 'nothing'
    ? NOTHING
    : html` data-version="${version}" data-refresh="${whenChanged}"`;

/** Renders a whole page, which works without scripts. page.js writes the state of the connection to `#live`. */
export const framed = (
  view: PageView,
  {
    title,
    about = NOTHING,
    main,
    pulledAt = null,
    countedAt = null,
    assets = [],
    isTimed = true,
    whenChanged = 'exchange',
  }: FramedPage,
): Html => html`<!doctype html>
<html lang="en"${follows(view, whenChanged)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · trendlake</title>${ICON}${['page.css', ...assets, 'page.js'].map(assetTag)}</head><body>
<a class="skip" href="#content">Skip to the content</a>
<header>
  <div class="bar"><a class="brand" href="${linkTo(view, '/')}">${MARK}trendlake</a>${navigation(view)}
    <span class="fresh-line soft small"><span id="live"></span><span class="when">${isTimed ? freshness(view, { pulledAt, countedAt }) : NOTHING}</span></span></div>
  ${isTimed ? html`${timeBar(view)}${lens(view)}` : NOTHING}
</header>
<main id="content"><div class="head"><h1 dir="auto">${title}</h1><div class="about soft small">${about}</div></div>
${main}</main>
<footer class="soft small"><a href="/docs">API reference</a> <a href="/v1/openapi.json">OpenAPI</a> <a href="/health">health</a>
${typeof view.reader === 'object' ? html`<form method="post" action="/sign-out"><button>sign out</button></form>` : NOTHING}</footer>
</body></html>`;
