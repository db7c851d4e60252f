import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Escaped markup of hono's html templates. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export const NOTHING: Html = raw('');

/** JSON for a script element: `<` is escaped, so it cannot close the element. */
export const embedded = (value: unknown): Html =>
  raw(JSON.stringify(value).replaceAll('<', '\\u003c'));

const LINE = 'M1 15c3-5 5-5 7-2s4 1 6-5 4-7 7-7';
const drawn = (size: string, line: string, ground: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 22 20" aria-hidden="true"><path d="${LINE}" fill="none" stroke="${line}" stroke-width="2.4" stroke-linecap="round"/><path d="M1 19h20" stroke="${ground}" stroke-width="1.6" stroke-linecap="round"/></svg>`;

/** Logo in the colours of the page. */
export const MARK = raw(drawn('width="22" height="20"', 'var(--mark)', 'var(--soft)'));

/** Inline favicon, so that browsers do not request /favicon.ico. */
export const ICON = html`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawn('', '#2f5fe3', '#97a1b3'))}">`;

/** Headers of every page: same-origin content only, no caching. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  // with no-referrer a browser sends `Origin: null` with the forms of these pages
  'referrer-policy': 'same-origin',
} as const;
