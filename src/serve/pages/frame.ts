import { html, raw } from 'hono/html';
import { minuteOf } from '../../base/iso.ts';
import { ago } from './figures.ts';
import { type Html, ICON, MARK, NOTHING } from './html.ts';
import { linkHere, linkTo, type PageView, type SourceJob } from './page-view.ts';
import { timeBar } from './time-bar.ts';

const NAVIGATION = [
  { path: '/', name: 'Overview' },
  { path: '/trends', name: 'Trends' },
  { path: '/creators', name: 'Creators' },
  { path: '/hashtags', name: 'Hashtags' },
  { path: '/forecasts', name: 'Forecasts' },
  { path: '/events', name: 'Events' },
  { path: '/watching', name: 'Watching' },
  { path: '/alerts', name: 'Alerts' },
  { path: '/search', name: 'Search' },
  { path: '/pipeline', name: 'Pipeline' },
  { path: '/query', name: 'Query' },
] as const;

/** True if a page belongs to a navigation entry. `/videos/...` belongs to no entry. */
const isWithin = (path: string, entry: string): boolean =>
  entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`);

/** Links to all pages: in a row, and behind a menu on phones. `shown`: path of the page they are on. */
export const navigation = (shown: string, linkOf: (path: string) => string): Html => {
  const links = NAVIGATION.map(
    ({ path, name }) =>
      html`<a href="${linkOf(path)}"${isWithin(shown, path) ? raw(' aria-current="page"') : ''}>${name}</a>`,
  );
  return html`<nav class="pages" aria-label="Pages">${links}</nav><details class="menu"><summary>Menu</summary><nav class="card" aria-label="Pages">${links}</nav></details>`;
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
  /** Job that pulls this list; the default is `trends`. */
  readonly pulledBy?: SourceJob;
  /** Newest count of the page's subject, Unix ms. Null or absent: the lake's newest count is shown. */
  readonly countedAt?: number | null;
  /** Action of an open page when the lake changes; the default is `exchange`. Pages of the past never change. */
  readonly whenChanged?: 'exchange' | 'tell' | 'nothing';
  /** Names of files under /assets. */
  readonly scripts?: readonly string[];
  /** False hides the time bar. */
  readonly isTimed?: boolean;
}

type Pulled = Pick<FramedPage, 'pulledAt' | 'pulledBy' | 'countedAt'>;

/** Age of the newest list, else of the newest count, else of the newest snapshot in the lake. */
const freshness = (
  { at, newestSnapshot, isFresh }: PageView,
  { pulledAt = null, pulledBy = 'trends', countedAt = null }: Pulled,
): Html => {
  const newest = pulledAt ?? countedAt ?? newestSnapshot;
  const counted = countedAt === null ? 'newest count' : 'counted';
  const what = pulledAt === null ? counted : 'lists pulled';
  const text = newest === null ? 'no data yet' : `${what} ${ago(newest, at)}`;
  const isNew = newest !== null && isFresh(pulledAt === null ? 'growth' : pulledBy, newest);
  const exact = newest === null ? '' : minuteOf(newest);
  return html`<span class="dot${isNew ? ' fresh' : ''}"></span><span title="${exact}">${text}</span>`;
};

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
    scripts = [],
    isTimed = true,
    whenChanged = 'exchange',
    ...pulled
  }: FramedPage,
): Html => html`<!doctype html>
<html lang="en"${follows(view, whenChanged)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · trendlake</title>${ICON}<link rel="stylesheet" href="/assets/style.css">${[...scripts, 'page.js'].map((name) => html`<script src="/assets/${name}" defer></script>`)}</head><body>
<a class="skip" href="#content">Skip to the content</a>
<header>
  <div class="bar"><a class="brand" href="${linkTo(view, '/')}">${MARK}trendlake</a>${navigation(view.path, (path) => linkTo(view, path))}
    <span class="fresh-line soft small"><span id="live"></span><span class="when">${isTimed ? freshness(view, pulled) : NOTHING}</span></span></div>
  ${isTimed ? html`${timeBar(view)}${lens(view)}` : NOTHING}
</header>
<main id="content"><div class="head"><h1 dir="auto">${title}</h1><div class="about soft small">${about}</div></div>
${main}</main>
<footer class="soft small"><a href="/docs">API reference</a> <a href="/v1/openapi.json">OpenAPI</a> <a href="/health">health</a>
${typeof view.reader === 'object' ? html`<form method="post" action="/sign-out"><button>sign out</button></form>` : NOTHING}</footer>
</body></html>`;
