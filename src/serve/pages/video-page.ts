import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { HOUR_MS } from '../../durations.ts';
import { type ShownForecast, shownForecast } from '../../forecast/read.ts';
import { growthCurve } from '../../history/growth-curve.ts';
import {
  type TimelinePoint,
  timeline,
  videoByIdAsOf,
  videoRecord,
} from '../../history/timeline.ts';
import { isoOf } from '../../iso.ts';
import type { ContentItem, GrowthCurve } from '../../wire/shapes.ts';
import { idPath } from '../parameters.ts';
import { RefusedError } from '../problems.ts';
import { ago, count, inHours, likely, number, PLATFORM_NAMES, rate } from './figures.ts';
import { embedded, type Html, NOTHING } from './html.ts';
import { type PageDeps, pageRoute } from './page-route.ts';
import { creatorPath, hashtagPath, linkTo, type PageView } from './page-view.ts';
import { spark } from './spark.ts';

/** [seconds, low, median, high] of each horizon, for the chart. */
const fanOf = (forecast: ShownForecast | null): number[][] =>
  forecast?.horizons.map(({ hours, low, median, high }) => [
    ...[(Date.parse(forecast.madeAt) + hours * HOUR_MS) / 1000, low, median, high],
  ]) ?? [];

const fact = (name: string, value: Html | string): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

interface Growth {
  readonly points: readonly TimelinePoint[];
  readonly curve: GrowthCurve;
  readonly forecast: ShownForecast | null;
}

const facts = (item: ContentItem, { curve, forecast }: Growth): Html =>
  html`<dl class="facts">${fact('views', count(item.views))}${fact('likes', count(item.likes))}${fact('engagement', rate(item.engagementRate))}${fact('phase', curve.phase)}${fact('peak pace', curve.peak === null ? '–' : `${number(curve.peak.viewsPerHour)}/h`)}${fact('doubles in', curve.doublingHours === null ? '–' : inHours(curve.doublingHours))}${forecast === null ? NOTHING : fact('ends on top', likely(forecast.topProbability))}</dl>`;

/** Two snapshots that tell views make a line. */
const hasLine = (points: readonly TimelinePoint[]): boolean => String(spark(points)) !== '';

/** The chart: a line that needs no script, until the script draws over it. */
const chart = ({ points, forecast }: Growth): Html => {
  const line = spark(points);
  return String(line) === ''
    ? html`<p class="soft">A curve needs two snapshots that tell views.</p>`
    : html`<div class="soft small" id="read">views over time (UTC), ${points.length} snapshots</div><div id="chart">${line}</div>
<script type="application/json" id="timeline">${embedded(points.map(({ at, views }) => [at / 1000, views]))}</script>
<script type="application/json" id="forecast">${embedded(fanOf(forecast))}</script>`;
};

const aboutVideo = (view: PageView, item: ContentItem): Html => {
  const { platform, user, createdAt, id, hashtags = [] } = item;
  const by =
    user === null || user === ''
      ? html`unknown creator`
      : html`<a href="${linkTo(view, creatorPath(platform, user))}"><bdi>${user}</bdi></a>`;
  const published = createdAt === null ? '' : `, published ${ago(Date.parse(createdAt), view.at)}`;
  const tags = hashtags.map(
    (tag) => html` <a class="chip" dir="auto" href="${linkTo(view, hashtagPath(tag))}">#${tag}</a>`,
  );
  return html`${by} on ${PLATFORM_NAMES[platform]}${published} · <code>${id}</code>${tags}`;
};

/** `/videos/{id}`: one video, how it grew and what is expected of it. */
export const videoPage = (deps: PageDeps): void =>
  pageRoute(deps, {
    path: '/videos/{id}',
    params: z.object({ id: idPath }),
    query: z.object({}),
    make: ({ params: { id }, view }) => {
      const { lake } = deps.service;
      const found = videoByIdAsOf(lake, id, view.at);
      if (found === undefined)
        throw new RefusedError('not-found', `No video "${id}" had been seen by ${isoOf(view.at)}.`);
      const points = timeline(lake, found.key, view.at);
      const forecast = shownForecast(lake.sqlite, found.key, view.at);
      const growth = { points, curve: growthCurve(points), forecast };
      const item = videoRecord(lake, found.key, view.at);
      return {
        title: item.title || item.id,
        about: aboutVideo(view, item),
        assets: hasLine(points) ? ['uplot.css', 'uplot.js', 'chart.js'] : [],
        main: html`<section class="growth" id="growth"><h2>Growth</h2>${facts(item, growth)}${chart(growth)}</section>`,
      };
    },
  });
