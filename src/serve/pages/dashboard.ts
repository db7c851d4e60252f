import { html, raw } from 'hono/html';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { ContentItem, GrowthCurve, HashtagItem } from '../../api/wire.ts';
import { DAY_MS, HOUR_MS, isoOf } from '../../clock.ts';
import type { TimelinePoint } from '../../lake/timeline.ts';
import { ICON, MARK } from './icon.ts';
import { spark } from './spark.ts';
import { STYLE } from './style.ts';

/** A video of the feed and how it grew. */
export interface ShownVideo {
  readonly item: ContentItem;
  readonly timeline: readonly TimelinePoint[];
}

/** All that the dashboard shows; instants in Unix ms. */
export interface DashboardData {
  readonly platform: Platform;
  readonly now: number; // the instant shown
  readonly asked: string | undefined; // `asOf` as asked, kept in the links
  readonly newestLook: number | null;
  readonly feed: { total: number; videos: readonly ShownVideo[]; pulledAt: number | null };
  readonly trends: { items: readonly ContentItem[]; pulledAt: number | null };
  readonly hashtags: readonly HashtagItem[];
  readonly video: (ShownVideo & { curve: GrowthCurve }) | undefined;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const number = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : compact.format(value);

const ago = (from: number, to: number): string => {
  const hours = (to - from) / HOUR_MS;
  if (hours < 1) return `${Math.max(0, Math.round(hours * 60))} min ago`;
  return hours < 48 ? `${Math.round(hours)} h ago` : `${Math.round(hours / 24)} d ago`;
};

const minuteOf = (at: number): string => `${isoOf(at).slice(0, 16).replace('T', ' ')} UTC`;

const address = (data: DashboardData, change: { platform?: Platform; video?: string }): string => {
  const query = new URLSearchParams({ platform: change.platform ?? data.platform });
  if (data.asked !== undefined) query.set('asOf', data.asked);
  if (change.video !== undefined) query.set('video', change.video);
  return `/?${query}`;
};

const origin = (pulledAt: number | null, now: number): string =>
  pulledAt === null ? 'ranked from observations' : `as pulled ${ago(pulledAt, now)}`;

const pace = (item: ContentItem): string =>
  item.velocity ? `${item.velocity > 0 ? '+' : ''}${number(item.velocity)}/h` : '';

const videoRow = (
  data: DashboardData,
  item: ContentItem,
  line: ReturnType<typeof spark> | undefined,
) => html`<tr aria-selected="${String(item.id === data.video?.item.id)}">
  <td class="n soft place">${item.rank ?? ''}</td>
  <td><a class="title" href="${address(data, { video: item.id })}" title="${item.title ?? ''}">${item.title || item.id}</a><span class="soft small">${item.user ?? ''}</span></td>
  ${line === undefined ? '' : html`<td>${line}</td>`}
  <td class="n">${number(item.views)}<br><span class="up small">${pace(item)}</span></td>
</tr>`;

const videoTable = (rows: readonly ReturnType<typeof videoRow>[]) =>
  rows.length === 0
    ? html`<p class="soft">Nothing was seen in this window. Another platform or instant may hold more.</p>`
    : html`<table><tbody>${rows}</tbody></table>`;

const changeOf = ({ change }: HashtagItem): string =>
  change === null ? 'new' : `${change >= 0 ? '+' : ''}${Math.round(change * 100)} %`;

const hashtagTable = (items: readonly HashtagItem[]) => {
  const most = Math.max(1, ...items.map((item) => item.volume ?? 0));
  return html`<table><thead><tr><th>tag</th><th class="n">videos</th><th class="n">change</th></tr></thead><tbody>${items.map(
    (
      item,
    ) => html`<tr><td>#${item.tag}<div class="bar" style="width:${Math.round((100 * (item.volume ?? 0)) / most)}%"></div></td>
      <td class="n">${number(item.volume)}</td><td class="n ${(item.change ?? 1) < 0 ? 'down' : 'up'}">${changeOf(item)}</td></tr>`,
  )}</tbody></table>`;
};

/** JSON that cannot end the script element it stands in. */
const embedded = (value: unknown) => raw(JSON.stringify(value).replaceAll('<', '\\u003c'));

const fact = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const growthSection = ({ video, now }: DashboardData) => {
  if (video === undefined) return '';
  const { item, timeline, curve } = video;
  const points = timeline.map(({ at, views }) => [at / 1000, views]);
  const peak = curve.peak === null ? '–' : `${number(curve.peak.viewsPerHour)}/h`;
  const doubling = curve.doublingHours === null ? '–' : `${number(curve.doublingHours)} h`;
  const published =
    item.createdAt === null ? '' : `, published ${ago(Date.parse(item.createdAt), now)}`;
  return html`<section class="wide growth" id="growth">
    <div><h2>Growth</h2><p class="title" style="margin:0">${item.title || item.id}</p>
      <p class="soft small" style="margin:4px 0">${item.user ?? 'unknown creator'}${published} · <code>${item.id}</code></p>
      <dl class="facts">${fact('views', number(item.views))}${fact('phase', curve.phase)}${fact('peak pace', peak)}${fact('doubles in', doubling)}</dl></div>
    <div><div class="soft small" id="read">views, ${timeline.length} looks</div><div id="chart"></div></div>
    <script type="application/json" id="timeline">${embedded(points)}</script>
    <script src="/assets/uplot.js"></script><script src="/assets/chart.js"></script></section>`;
};

const tile = (name: string, value: string, note: string) =>
  html`<section><span class="soft small">${name}</span><b>${value}</b><span class="soft small">${note}</span></section>`;

const tiles = ({ feed, trends, hashtags, platform }: DashboardData) => {
  const fastest = feed.videos
    .map(({ item }) => item)
    .toSorted((a, b) => (b.velocity ?? 0) - (a.velocity ?? 0))[0];
  const first = trends.items[0];
  const rising = hashtags.toSorted((a, b) => (b.change ?? 0) - (a.change ?? 0))[0];
  return html`<div class="tiles wide">
    ${tile(`in the ${platform} feed, 24 h`, number(feed.total), 'videos')}
    ${tile('fastest now', fastest === undefined ? '–' : pace(fastest) || '–', fastest?.user ?? '')}
    ${tile('first this week', first?.user ?? '–', `${number(first?.views)} views`)}
    ${tile('rising hashtag, 30 d', rising === undefined ? '–' : `#${rising.tag}`, rising === undefined ? '' : changeOf(rising))}
  </div>`;
};

const FRESH_MS = 1.5 * DAY_MS; // a nightly sync, and half a day of grace

const freshness = ({ newestLook, now }: DashboardData) => {
  const isFresh = newestLook !== null && now - newestLook < FRESH_MS;
  const text = newestLook === null ? 'nothing seen yet' : `last look ${ago(newestLook, now)}`;
  return html`<span class="soft small"><span class="dot ${isFresh ? 'fresh' : ''}"></span>${text} · ${minuteOf(now)}</span>`;
};

/** The dashboard as one page, complete without a script but for the chart. */
export const dashboardPage = (data: DashboardData) => html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>trendlake: ${data.platform}</title>${ICON}<link rel="stylesheet" href="/assets/uplot.css"><style>${raw(STYLE)}</style></head><body>
<header><h1>${MARK}trendlake</h1>
  <nav>${PLATFORMS.map(
    (name) =>
      html`<a href="${address(data, { platform: name })}" ${name === data.platform ? raw('aria-current="page"') : ''}>${name}</a>`,
  )}</nav>
  ${freshness(data)}
  <form><input type="hidden" name="platform" value="${data.platform}">
    <input name="asOf" value="${data.asked ?? ''}" placeholder="2026-03-01T12:00Z" aria-label="as of"><button>as of then</button></form>
</header>
<main class="grid">
  ${tiles(data)}
  ${growthSection(data)}
  <section><h2>Feed <span class="soft small">24 h · ${origin(data.feed.pulledAt, data.now)}</span></h2>
    ${videoTable(data.feed.videos.map(({ item, timeline }) => videoRow(data, item, spark(timeline))))}</section>
  <div class="stack">
    <section><h2>Trending this week <span class="soft small">${origin(data.trends.pulledAt, data.now)}</span></h2>
      ${videoTable(data.trends.items.map((item) => videoRow(data, item, undefined)))}</section>
    <section><h2>Hashtags <span class="soft small">30 d, all platforms</span></h2>${hashtagTable(data.hashtags)}</section>
  </div>
  <p class="soft small wide"><a href="/docs">The interface</a> · <a href="/v1/openapi.json">OpenAPI</a> · <a href="/health">health</a></p>
</main></body></html>`;
