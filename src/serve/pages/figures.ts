import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { isoOf, minuteOf } from '../../base/iso.ts';
import type { Html } from './html.ts';

// How numbers and instants are told on every page, so that one number reads the same on all of them.

/** Platforms as they write themselves. */
export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = {
  tiktok: 'TikTok',
  instagram: 'Instagram',
  youtube: 'YouTube',
};

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
/** From a thousand on one digit follows the point, so that figures in a column line up. */
const aligned = new Intl.NumberFormat('en', {
  notation: 'compact',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const exact = new Intl.NumberFormat('en');

/** What stands where a number is not known. */
const UNKNOWN = '–';

/** A count in few characters, such as 1.2M; a dash where it is not known. */
export const number = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? UNKNOWN
    : (Math.abs(value) < 999.5 ? compact : aligned).format(value);

/** All digits of a count, such as 1,234,567. */
export const digits = (value: number): string => exact.format(value);

/** A count in few characters that tells all its digits when pointed at. */
export const count = (value: number | null | undefined): Html => {
  if (value === null || value === undefined)
    return html`<span class="soft" title="not known">${UNKNOWN}</span>`;
  const short = number(value);
  return short === String(value)
    ? html`${short}`
    : html`<span title="${digits(value)}">${short}</span>`;
};

/** A rate in percent as it came, such as 4.2 %. */
export const rate = (value: number | null | undefined): string =>
  value === null || value === undefined ? UNKNOWN : `${number(value)} %`;

/** A relative change (0.5: half as many again) in percent with its sign; a dash where not known. */
export const change = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? UNKNOWN
    : `${value >= 0 ? '+' : '−'}${number(Math.abs(Math.round(value * 100)))} %`;

/** The class that colours a change. */
export const direction = (value: number | null | undefined): 'up' | 'down' | 'soft' => {
  if (value === null || value === undefined) return 'soft';
  return value < 0 ? 'down' : 'up';
};

/** A pace in views an hour with its sign; nothing where it rounds to none or is not known. */
export const pace = (velocity: number | null | undefined): string => {
  const text = number(velocity ?? 0);
  return text === '0' || text === '-0' ? '' : `${text.startsWith('-') ? '' : '+'}${text}/h`;
};

/** A span in hours, or in days where it is long. */
export const inHours = (hours: number): string =>
  hours < 48 ? `${number(hours)} h` : `${number(Math.round(hours / 24))} d`;

/** How long before `to` an instant was; both Unix ms. */
export const ago = (from: number, to: number): string => {
  const hours = (to - from) / HOUR_MS;
  if (hours < 1) return `${Math.max(0, Math.round(hours * 60))} min ago`;
  return `${inHours(Math.round(hours))} ago`;
};

/** An instant (Unix ms) to the minute, for people and for machines. */
export const instantTime = (at: number): Html =>
  html`<time datetime="${isoOf(at)}">${minuteOf(at)}</time>`;

/** How long before `now` an instant was, which tells the instant when pointed at. */
export const sinceText = (at: number, now: number): Html =>
  html`<time datetime="${isoOf(at)}" title="${minuteOf(at)}">${ago(at, now)}</time>`;

/** A probability; never certain: the rarest outcomes are told as such. */
export const likely = (probability: number): string => {
  if (probability > 0.99) return 'over 99 %';
  return probability < 0.01 ? 'under 1 %' : `${Math.round(100 * probability)} %`;
};

/** A figure with its name over it and a note under it, in a list of tiles (`<dl class="tiles">`). */
export const tile = (name: string, value: Html | string, note: Html | string): Html =>
  html`<div class="tile"><dt class="soft small">${name}</dt><dd><b>${value}</b><span class="one soft small">${note}</span></dd></div>`;

/** A figure under its name, in a list of them (`<dl>`). */
export const fact = (name: string, value: Html | string): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
