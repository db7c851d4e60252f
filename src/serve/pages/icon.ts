import { html, raw } from 'hono/html';

const LINE = 'M1 15c3-5 5-5 7-2s4 1 6-5 4-7 7-7';
const drawn = (size: string, line: string, ground: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 22 20" aria-hidden="true"><path d="${LINE}" fill="none" stroke="${line}" stroke-width="2.4" stroke-linecap="round"/><path d="M1 19h20" stroke="${ground}" stroke-width="1.6" stroke-linecap="round"/></svg>`;

/** Logo in the colours of the page. */
export const MARK = raw(drawn('width="22" height="20"', 'var(--mark)', 'var(--soft)'));

/** Inline favicon, so that browsers do not request /favicon.ico. */
export const ICON = html`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawn('', '#2f5fe3', '#97a1b3'))}">`;
