import { html, raw } from 'hono/html';
import type { Html } from './html.ts';

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
