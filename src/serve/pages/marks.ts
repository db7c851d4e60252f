import { html } from 'hono/html';
import { commandText } from '../../base/installation.ts';
import { ago, digits } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import type { PageView } from './page-view.ts';

// What tells a reader how far a figure can be trusted, beside the figure.

const mark = (word: string, why: string): Html =>
  html`<span class="mark" title="${why}">${word}</span>`;

/** Counted over the videos that this lake saw; the service's own figure would be larger. */
export const SAMPLED = mark(
  'sampled',
  'Counted over the videos seen here, not stated by the service',
);

/** Computed between or beyond what was observed. */
export const ESTIMATED = mark('estimated', 'Computed from what was observed, not observed itself');

/**
 * A list's origin: as the service stated it for an instant, which may be a while before it was pulled,
 * or ranked here from what was observed.
 */
export const listOrigin = (pulledAt: number | null, at: number): string =>
  pulledAt === null
    ? 'ranked here from what was observed'
    : `as the service had it ${ago(pulledAt, at)}`;

/** What a list holds of what its source counted; nothing where it holds all. */
export const heldOf = (held: number, total: number): string =>
  held < total ? `· ${digits(held)} held here of ${digits(total)} that match` : '';

/** Commands that fill an empty lake; a script may add buttons that copy them. */
const COMMANDS = ['sync', 'demo', 'import FOLDER'].map(commandText);

/** Why there is nothing to show: an empty lake, an instant before it began, or a list without rows. */
export const emptyState = (view: PageView, nothingHere: string): Html => {
  if (view.newestSnapshot !== null) return html`<p class="empty soft">${nothingHere}</p>`;
  if (view.isPast) return html`<p class="empty soft">Nothing had been seen by then.</p>`;
  return html`<div class="empty"><p class="soft">The lake is empty. One of these fills it:</p>
<ul class="commands">${COMMANDS.map((command) => html`<li><code>${command}</code></li>`)}</ul></div>`;
};

/** A sentence about something that is not as asked. */
export const notice = (sentence: Html | string): Html =>
  sentence === '' ? NOTHING : html`<p class="notice small" role="note">${sentence}</p>`;
