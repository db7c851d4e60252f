import { html, raw } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, MINUTE_MS } from '../../base/durations.ts';
import { commandText } from '../../base/installation.ts';
import { minuteOf } from '../../base/iso.ts';
import { ago, digits, PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { instantText, linkAt, type PageView } from './page-view.ts';

const mark = (word: string, why: string): Html =>
  html`<span class="mark" title="${why}">${word}</span>`;

/** Marks counts over the videos in the lake. The API's count would be larger. */
export const SAMPLED = mark('sampled', 'Counted from videos in the lake, not reported by the API');

export const ESTIMATED = mark('estimated', 'Computed from observed values');

/** Options of a `<select>`: value and name of each. */
export const options = (choices: Iterable<readonly [string, string]>, chosen = ''): Html =>
  html`${[...choices].map(([value, name]) => html`<option value="${value}"${value === chosen ? raw(' selected') : ''}>${name}</option>`)}`;

/** Choice of a platform. `all` is the name of no choice. */
export const platformSelect = (all: string, chosen?: Platform): Html =>
  html`<select name="platform">${options([['', all], ...Object.entries(PLATFORM_NAMES)], chosen)}</select>`;

/** Hidden fields that keep the instant and the tag in a form. */
export const hiddenLens = (view: PageView): Html =>
  html`${view.isPast ? html`<input type="hidden" name="asOf" value="${instantText(view.at)}">` : NOTHING}${view.query.tag === undefined ? NOTHING : html`<input type="hidden" name="tag" value="${view.query.tag}">`}`;

/** Origin of a list: pulled from the API, or ranked here (`pulledAt` is null). */
export const listOrigin = (pulledAt: number | null, at: number): string =>
  pulledAt === null ? 'ranked here from observed views' : `from the API, ${ago(pulledAt, at)}`;

export const heldOf = (held: number, total: number): string =>
  held < total ? `· ${digits(held)} of ${digits(total)} matching items are in the lake` : '';

const COMMANDS = ['sync', 'demo', 'import FOLDER'].map(commandText);

/** Data older than this explains why a window is empty. */
const OLD_MS = DAY_MS;

/** Text shown for an empty lake, a time before its first data, or a list without rows. */
export const emptyState = (view: PageView, nothingHere: string): Html => {
  const { newestSnapshot, at } = view;
  if (newestSnapshot !== null)
    return html`<p class="empty soft">${nothingHere}${at - newestSnapshot < OLD_MS ? '' : html` The newest data is from ${minuteOf(newestSnapshot)}: <a href="${linkAt(view, newestSnapshot + MINUTE_MS)}">see it as of then</a>.`}</p>`;
  if (view.isPast) return html`<p class="empty soft">The lake had no data yet at this time.</p>`;
  return html`<div class="empty"><p class="soft">The lake is empty. Fill it with one of these commands:</p>
<ul class="commands">${COMMANDS.map((command) => html`<li><code>${command}</code></li>`)}</ul></div>`;
};

export const notice = (sentence: Html | string): Html =>
  sentence === '' ? NOTHING : html`<p class="notice small" role="note">${sentence}</p>`;
