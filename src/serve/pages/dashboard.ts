import { html, raw } from 'hono/html';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import type { RisingVideo, ShownForecast } from '../../forecast/read.ts';
import type { TimelinePoint } from '../../history/timeline.ts';
import { isoOf } from '../../iso.ts';
import type { ContentItem, GrowthCurve, HashtagItem } from '../../wire/shapes.ts';
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
  readonly isSignedIn: boolean; // whoever reads it has a session to end
  readonly now: number; // the instant shown
  readonly asked: string | undefined; // `asOf` as asked, kept in the links
  readonly unread: string | undefined; // an `asOf` that is no instant: the present is shown
  readonly unknownPlatform: string | undefined; // asked for, and no platform: another is shown
  readonly unknownVideo: string | undefined; // asked for, and not seen by then
  readonly newestSnapshot: number | null;
  /** `total` as whoever made the list counts; `held`: how much of it the lake has. */
  readonly feed: {
    total: number;
    held: number;
    videos: readonly ShownVideo[];
    pulledAt: number | null;
  };
  readonly trends: { items: readonly ContentItem[]; pulledAt: number | null };
  readonly hashtags: readonly HashtagItem[]; // the first of them are listed
  /** The likeliest to end on top; empty where the lake has not watched enough. */
  readonly next: readonly RisingVideo[];
  readonly video: (ShownVideo & { curve: GrowthCurve; forecast: ShownForecast | null }) | undefined;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const number = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : compact.format(value);

const inHours = (hours: number): string =>
  hours < 48 ? `${number(hours)} h` : `${number(Math.round(hours / 24))} d`;

const ago = (from: number, to: number): string => {
  const hours = (to - from) / HOUR_MS;
  if (hours < 1) return `${Math.max(0, Math.round(hours * 60))} min ago`;
  return `${inHours(Math.round(hours))} ago`;
};

const minuteOf = (at: number): string => `${isoOf(at).slice(0, 16).replace('T', ' ')} UTC`;

const address = (data: DashboardData, change: { platform?: Platform; video?: string }): string => {
  const query = new URLSearchParams({ platform: change.platform ?? data.platform });
  if (data.asked !== undefined) query.set('asOf', data.asked);
  if (change.video !== undefined) query.set('video', change.video);
  return `/?${query}${change.video === undefined ? '' : '#growth'}`;
};

const origin = (pulledAt: number | null, now: number): string =>
  pulledAt === null ? 'ranked from observations' : `as pulled ${ago(pulledAt, now)}`;

/** Views an hour; nothing where they round to none. */
const pace = ({ velocity }: ContentItem): string => {
  const text = number(velocity ?? 0);
  return text === '0' || text === '-0' ? '' : `${text.startsWith('-') ? '' : '+'}${text}/h`;
};

const videoRow = (
  data: DashboardData,
  item: ContentItem,
  line: ReturnType<typeof spark> | undefined,
) => html`<tr>
  <td class="n soft place">${item.rank ?? ''}</td>
  <td><a class="title" dir="auto" href="${address(data, { video: item.id })}" title="${item.title ?? ''}" ${item.id === data.video?.item.id ? raw('aria-current="true"') : ''}>${item.title || item.id}</a><span class="one soft small" dir="auto">${item.user ?? ''}</span></td>
  ${line === undefined ? '' : html`<td>${line}</td>`}
  <td class="n">${number(item.views)}<br><span class="${(item.velocity ?? 0) < 0 ? 'down' : 'up'} small">${pace(item)}</span></td>
</tr>`;

const nothing = ({ newestSnapshot, asked }: DashboardData) => {
  if (newestSnapshot !== null)
    return html`<p class="soft">Nothing was seen in this window. Another platform or instant may hold more.</p>`;
  return asked === undefined
    ? html`<p class="soft">The lake is empty: <code>trendlake sync</code> fills it, <code>trendlake demo</code> with a made-up world.</p>`
    : html`<p class="soft">Nothing had been seen by then.</p>`;
};

const videoTable = (
  data: DashboardData,
  columns: readonly string[],
  rows: readonly ReturnType<typeof videoRow>[],
) =>
  rows.length === 0
    ? nothing(data)
    : html`<table class="videos"><thead><tr>${columns.map((name) => html`<th>${name}</th>`)}<th class="n">views, per hour</th></tr></thead><tbody>${rows}</tbody></table>`;

const changeOf = ({ change }: HashtagItem): string =>
  change === null ? '–' : `${change >= 0 ? '+' : ''}${Math.round(change * 100)} %`;

/** How many hashtags are listed; fewer videos than `FEWEST_VIDEOS` make no rise. */
const LISTED_TAGS = 15;
const FEWEST_VIDEOS = 20;

/** The tag that rose most among all of the list, where the list tells. */
const risingOf = (tags: readonly HashtagItem[]): HashtagItem | undefined =>
  tags
    .filter(({ change, volume }) => (change ?? 0) > 0 && (volume ?? 0) >= FEWEST_VIDEOS)
    .toSorted((a, b) => (b.change ?? 0) - (a.change ?? 0))[0];

/** What the volumes are, and why no change may be known. */
const tagsNote = (tags: readonly HashtagItem[]): string => {
  const isSampled = tags.some(({ sampled }) => sampled === true);
  const isUnknown = tags.length > 0 && tags.every(({ change }) => change === null);
  const counted = isSampled ? ' · counted over the videos seen here' : '';
  return `30 d, all platforms${counted}${isUnknown ? ' · change not known yet' : ''}`;
};

const hashtagTable = (data: DashboardData) => {
  const items = data.hashtags.slice(0, LISTED_TAGS);
  if (items.length === 0) return nothing(data);
  const most = Math.max(1, ...items.map((item) => item.volume ?? 0));
  return html`<table><thead><tr><th>tag</th><th class="n">videos</th><th class="n">change</th></tr></thead><tbody>${items.map(
    (
      item,
    ) => html`<tr><td><span class="one" dir="auto" title="${item.tag}">#${item.tag}</span><div class="bar" style="width:${Math.round((100 * (item.volume ?? 0)) / most)}%"></div></td>
      <td class="n">${number(item.volume)}</td><td class="n ${item.change === null ? 'soft' : item.change < 0 ? 'down' : 'up'}">${changeOf(item)}</td></tr>`,
  )}</tbody></table>`;
};

/** JSON that cannot end the script element it stands in. */
const embedded = (value: unknown) => raw(JSON.stringify(value).replaceAll('<', '\\u003c'));

const fact = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** Never certain: the rarest outcomes are told as such. */
const likely = (probability: number): string => {
  if (probability > 0.99) return 'over 99 %';
  return probability < 0.01 ? 'under 1 %' : `${Math.round(100 * probability)} %`;
};

/** [seconds, low, median, high] of each horizon, for the chart. */
const fanOf = (forecast: ShownForecast | null): number[][] =>
  forecast?.horizons.map(({ hours, low, median, high }) => [
    ...[(Date.parse(forecast.madeAt) + hours * HOUR_MS) / 1000, low, median, high],
  ]) ?? [];

const nextTable = (data: DashboardData) =>
  data.next.length === 0
    ? html`<p class="soft">Silent: too few curves are finished yet. <code>trendlake status</code> says how many it takes.</p>`
    : html`<table class="videos"><thead><tr><th>video</th><th class="n">on top</th><th class="n">views in 24 h</th></tr></thead><tbody>${data.next.map(
        ({ id, title, user, topProbability, median, low, high }) => html`<tr>
  <td><a class="title" dir="auto" href="${address(data, { video: id })}" title="${title ?? ''}">${title || id}</a><span class="one soft small" dir="auto">${user ?? ''}</span></td>
  <td class="n">${likely(topProbability)}</td>
  <td class="n">${number(median)}${median === null ? '' : html`<br><span class="soft small">${number(low)} to ${number(high)}</span>`}</td></tr>`,
      )}</tbody></table>`;

const growthSection = ({ video, now }: DashboardData) => {
  if (video === undefined) return '';
  const { item, timeline, curve, forecast } = video;
  const line = spark(timeline); // until the script draws over it, and where no script runs
  const points = timeline.map(({ at, views }) => [at / 1000, views]);
  const peak = curve.peak === null ? '–' : `${number(curve.peak.viewsPerHour)}/h`;
  const doubling = curve.doublingHours === null ? '–' : inHours(curve.doublingHours);
  const published =
    item.createdAt === null ? '' : `, published ${ago(Date.parse(item.createdAt), now)}`;
  return html`<section class="wide growth" id="growth">
    <div><h2>Growth</h2><p class="title" dir="auto" title="${item.title ?? ''}">${item.title || item.id}</p>
      <p class="soft small about"><bdi>${item.user ?? 'unknown creator'}</bdi>${published} · <code>${item.id}</code></p>
      <dl class="facts">${fact('views', number(item.views))}${fact('phase', curve.phase)}${fact('peak pace', peak)}${fact('doubles in', doubling)}${forecast === null ? '' : fact('ends on top', likely(forecast.topProbability))}</dl></div>
    ${
      String(line) === ''
        ? html`<p class="soft">A curve needs two snapshots that tell views.</p>`
        : html`<div><div class="soft small" id="read">views over time (UTC), ${timeline.length} snapshots</div><div id="chart">${line}</div></div>
    <script type="application/json" id="timeline">${embedded(points)}</script>
    <script type="application/json" id="forecast">${embedded(fanOf(forecast))}</script>
    <script src="/assets/uplot.js"></script><script src="/assets/chart.js"></script>`
    }</section>`;
};

const tile = (name: string, value: string, note: string) =>
  html`<section><span class="soft small">${name}</span><b>${value}</b><span class="one soft small">${note}</span></section>`;

const tiles = ({ feed, trends, hashtags, platform }: DashboardData) => {
  const fastest = feed.videos
    .map(({ item }) => item)
    .toSorted((a, b) => (b.velocity ?? 0) - (a.velocity ?? 0))[0];
  const first = trends.items[0];
  const rising = risingOf(hashtags);
  return html`<div class="tiles wide">
    ${tile(`${platform} feed, 24 h`, number(feed.held), feed.held < feed.total ? `videos here, of ${number(feed.total)} that match` : 'videos')}
    ${tile('fastest now', fastest === undefined ? '–' : pace(fastest) || '–', fastest?.user ?? '')}
    ${tile('first this week', first?.user ?? '–', first === undefined ? '' : `${number(first.views)} views`)}
    ${tile('rises most, 30 d', rising === undefined ? '–' : `#${rising.tag}`, rising === undefined ? 'no rise is known' : `${changeOf(rising)}, of ${hashtags.length} tags`)}
  </div>`;
};

const FRESH_MS = 1.5 * DAY_MS; // a nightly sync, and half a day of grace

/** How old what is shown is: its newest list, or where none was pulled, the newest count. */
const freshness = ({ newestSnapshot, now, feed, trends }: DashboardData) => {
  const pulledAt = Math.max(feed.pulledAt ?? 0, trends.pulledAt ?? 0);
  const at = pulledAt > 0 ? pulledAt : newestSnapshot;
  const what = pulledAt > 0 ? 'lists pulled' : 'newest count';
  const text = at === null ? 'nothing seen yet' : `${what} ${ago(at, now)}`;
  const isFresh = at !== null && now - at < FRESH_MS;
  return html`<span class="soft small"><span class="dot ${isFresh ? 'fresh' : ''}"></span>${text} · ${minuteOf(now)}</span>`;
};

const stated = (asked: string, sentence: string) =>
  html`<p class="down small unread" role="alert"><bdi>${asked}</bdi> ${sentence}</p>`;

/** What was asked for and is not there, in words. */
const refusals = ({ unread, unknownPlatform, unknownVideo, platform }: DashboardData) => [
  unread === undefined
    ? ''
    : stated(unread, 'is no instant, so this is now. Write one like 2026-03-01T12:00Z.'),
  unknownPlatform === undefined
    ? ''
    : stated(
        unknownPlatform,
        `is no platform: there are ${PLATFORMS.join(', ')}. This is ${platform}.`,
      ),
  unknownVideo === undefined ? '' : stated(unknownVideo, 'is no video that had been seen by then.'),
];

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
    <input name="asOf" value="${data.asked ?? data.unread ?? ''}" placeholder="2026-03-01T12:00Z" aria-label="as of"><button>as of then</button>
    ${data.asked === undefined ? '' : html`<a href="/?platform=${data.platform}">now</a>`}</form>
  ${refusals(data)}
</header>
<main class="grid">
  ${tiles(data)}
  ${growthSection(data)}
  <section><h2>Feed <span class="soft small">24 h · ${origin(data.feed.pulledAt, data.now)}</span></h2>
    ${videoTable(
      data,
      ['', 'video', 'growth'],
      data.feed.videos.map(({ item, timeline }) => videoRow(data, item, spark(timeline))),
    )}</section>
  <div class="stack">
    <section><h2>Trending this week <span class="soft small">${origin(data.trends.pulledAt, data.now)}</span></h2>
      ${videoTable(
        data,
        ['', 'video'],
        data.trends.items.map((item) => videoRow(data, item, undefined)),
      )}</section>
    <section><h2>Next <span class="soft small">likeliest to end in the top tenth of growth</span></h2>${nextTable(data)}</section>
    <section><h2>Hashtags <span class="soft small">${tagsNote(data.hashtags)}</span></h2>${hashtagTable(data)}</section>
  </div>
  <p class="soft small wide"><a href="/docs">The interface</a> · <a href="/v1/openapi.json">OpenAPI</a> · <a href="/health">health</a></p>
  ${data.isSignedIn ? html`<form class="wide" method="post" action="/sign-out"><button>sign out</button></form>` : ''}
</main></body></html>`;
