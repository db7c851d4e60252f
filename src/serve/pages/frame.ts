import { html, raw } from 'hono/html';
import { DAY_MS } from '../../base/durations.ts';
import { minuteOf } from '../../base/iso.ts';
import { ago } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { ICON, MARK } from './icon.ts';
import { isWithin, NAVIGATION } from './navigation.ts';
import { linkTo, type PageView } from './page-view.ts';
import { timeBar } from './time-bar.ts';

/** What a page puts into the frame. */
export interface FramedPage {
  /** Of the browser's tab and of the page's only `h1`. */
  readonly title: string;
  /** Beside the title: counts, marks, what the page is about. */
  readonly about?: Html;
  /** Sections (`<section>` with an `h2` each); laid out in one column, or two with `class="stack"`. */
  readonly main: Html;
  /** The instant that the newest pulled list of the page is true at, Unix ms; null or absent: none was pulled. */
  readonly pulledAt?: number | null;
  /** Newest count of what the page is about, Unix ms; null or absent: that of the lake is told. */
  readonly countedAt?: number | null;
  /**
   * What an open page does when the lake changes: exchanges itself (unless given), tells of it, or
   * nothing. A page of the past never changes.
   */
  readonly whenChanged?: 'exchange' | 'tell' | 'nothing';
  /** Files under /assets that the page needs, by their names. */
  readonly assets?: readonly string[];
  /** False for pages that show no instant of the lake: no time bar. */
  readonly isTimed?: boolean;
}

const FRESH_MS = 1.5 * DAY_MS; // a nightly sync, and half a day of grace

/** How old what is shown is: its newest list, else its newest count, else the newest of the lake. */
const freshness = (
  { at, newestSnapshot }: PageView,
  { pulledAt, countedAt }: { readonly pulledAt: number | null; readonly countedAt: number | null },
): Html => {
  const newest = pulledAt ?? countedAt ?? newestSnapshot;
  const counted = countedAt === null ? 'newest count' : 'counted';
  const what = pulledAt === null ? counted : 'lists as of';
  const text = newest === null ? 'nothing seen yet' : `${what} ${ago(newest, at)}`;
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

/** What a page tells its script: the state of the lake it shows, and what to do when that is over. */
const follows = ({ isPast, version }: PageView, whenChanged: string): Html =>
  isPast || whenChanged === 'nothing'
    ? NOTHING
    : html` data-version="${version}" data-refresh="${whenChanged}"`;

/**
 * A whole page: navigation, time bar, freshness, title, content. Complete without a script. The element
 * `#live` is where a script that keeps the page fresh says whether it is live or stale.
 */
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
  ${isTimed ? timeBar(view) : NOTHING}
</header>
<main id="content"><div class="head"><h1 dir="auto">${title}</h1><div class="about soft small">${about}</div></div>
${main}</main>
<footer class="soft small"><a href="/docs">The interface</a> <a href="/v1/openapi.json">OpenAPI</a> <a href="/health">health</a>
${typeof view.reader === 'object' ? html`<form method="post" action="/sign-out"><button>sign out</button></form>` : NOTHING}</footer>
</body></html>`;
