import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { isoOf, minuteOf } from '../../base/iso.ts';
import { type Html, NOTHING } from './html.ts';

export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = {
  tiktok: 'TikTok',
  instagram: 'Instagram',
  youtube: 'YouTube',
};

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
/** Fixed decimals from 1,000 on, so that figures in a column line up. */
const aligned = new Intl.NumberFormat('en', {
  notation: 'compact',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const exact = new Intl.NumberFormat('en');

const UNKNOWN = '–';

/** Short count, such as 1.2M, or a dash for an unknown one. */
export const number = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? UNKNOWN
    : (Math.abs(value) < 999.5 ? compact : aligned).format(value);

/** Full count, such as 1,234,567. */
export const digits = (value: number): string => exact.format(value);

/** Short count with all digits in its tooltip. */
export const count = (value: number | null | undefined): Html => {
  if (value === null || value === undefined)
    return html`<span class="soft" title="unknown">${UNKNOWN}</span>`;
  const short = number(value);
  return short === String(value)
    ? html`${short}`
    : html`<span title="${digits(value)}">${short}</span>`;
};

/**
 * Engagement rate as pages show it: null above 100 % or under 100 views, where it means nothing. The
 * column `engagement_rate_shown` of `videos` has the same rule.
 */
export const shownRateOf = ({
  views,
  engagementRate,
}: {
  readonly views: number | null;
  readonly engagementRate: number | null;
}): number | null =>
  views === null || views < 100 || engagementRate === null || engagementRate > 100
    ? null
    : engagementRate;

/** Rate in percent, such as 4.2 %. */
export const rate = (value: number | null | undefined): string =>
  value === null || value === undefined ? UNKNOWN : `${number(value)} %`;

/** Relative change in percent with a sign: 0.5 becomes +50 %. */
export const change = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? UNKNOWN
    : `${value >= 0 ? '+' : '−'}${number(Math.abs(Math.round(value * 100)))} %`;

/** CSS class for a change. */
export const direction = (value: number | null | undefined): 'up' | 'down' | 'soft' => {
  if (value === null || value === undefined) return 'soft';
  return value < 0 ? 'down' : 'up';
};

/** Views per hour with a sign, empty if unknown or rounded to 0. */
export const pace = (velocity: number | null | undefined): string => {
  const text = number(velocity ?? 0);
  return text === '0' || text === '-0' ? '' : `${text.startsWith('-') ? '' : '+'}${text}/h`;
};

/** Hours, or days from 48 hours on. */
export const inHours = (hours: number): string =>
  hours < 48 ? `${number(hours)} h` : `${number(Math.round(hours / 24))} d`;

/** Age of `from` at `to`, both Unix ms. */
export const ago = (from: number, to: number): string => {
  const hours = (to - from) / HOUR_MS;
  if (hours < 1) return `${Math.max(0, Math.round(hours * 60))} min ago`;
  return `${inHours(Math.round(hours))} ago`;
};

/** `<time>` to the minute for an instant in Unix ms. */
export const instantTime = (at: number): Html =>
  html`<time datetime="${isoOf(at)}">${minuteOf(at)}</time>`;

/** Age with the instant in its tooltip, both Unix ms. */
export const sinceText = (at: number, now: number): Html =>
  html`<time datetime="${isoOf(at)}" title="${minuteOf(at)}">${ago(at, now)}</time>`;

/** Probability in percent, never shown as 0 or 100. */
export const likely = (probability: number): string => {
  if (probability > 0.99) return 'over 99 %';
  return probability < 0.01 ? 'under 1 %' : `${Math.round(100 * probability)} %`;
};

/** Likely end of a rise, Unix ms: 8 in 10 similar videos stopped rising by then. */
export const overIn = (overBy: number | null, now: number): Html | string => {
  if (overBy === null) return '–';
  if (overBy <= now) return 'about now';
  return html`<time datetime="${isoOf(overBy)}" title="${minuteOf(overBy)}">in ${inHours(Math.ceil((overBy - now) / HOUR_MS))}</time>`;
};

/** Figure with a name and a note, inside `<dl class="tiles">`. */
export const tile = (name: string, value: Html | string, note: Html | string): Html =>
  html`<div class="tile"><dt class="soft small">${name}</dt><dd><b>${value}</b><span class="one soft small">${note}</span></dd></div>`;

export const fact = (name: string, value: Html | string): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** External link to a subject on its platform, empty without an address. */
export const platformLink = (platform: Platform, url: string | undefined): Html =>
  url === undefined
    ? NOTHING
    : html`<a class="out" href="${url}" rel="noreferrer">on ${PLATFORM_NAMES[platform]} <span aria-hidden="true">↗</span></a>`;
