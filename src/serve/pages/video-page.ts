import { html } from 'hono/html';
import { videoSubject } from '../../alerts/events/subject-url.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import { growthCurveOf } from '../../lake/read/growth-curve.ts';
import { readListStays } from '../../lake/read/list-stays.ts';
import { type Milestone, milestones } from '../../lake/read/milestones.ts';
import {
  snapshotCount,
  type TimelinePoint,
  timeline,
  videoByIdAsOf,
  videoRecord,
} from '../../lake/read/timeline.ts';
import { shownForecast } from '../../learn/forecast/read.ts';
import type { ShownForecast } from '../../learn/forecast/shapes.ts';
import { analysisOf } from '../../learn/why/analyze.ts';
import { RefusedError } from '../http/problems.ts';
import { idPath } from '../request/parameters.ts';
import { CHART_SCRIPTS, type ChartPoint, chart, hasLine } from './chart.ts';
import { gainedInDay } from './compare-videos.ts';
import { type Column, downloadLinks, fileColumn } from './data-table.ts';
import { count, inHours, platformLink, sinceText } from './figures.ts';
import { followSection } from './follow.ts';
import { type Html, NOTHING } from './html.ts';
import { ESTIMATED } from './marks.ts';
import { type PageDeps, pageRoute, requesterOf } from './page-route.ts';
import { creatorPath, hashtagPath, linkTo, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';
import {
  alikeSection,
  growthFacts,
  milestonesSection,
  recipeSection,
  staysSection,
  videoTiles,
  whySection,
} from './video-sections.ts';

const fanOf = (forecast: ShownForecast | null): number[][] =>
  forecast?.horizons.map(({ hours, low, median, high }) => [
    Date.parse(forecast.madeAt) + hours * HOUR_MS,
    low,
    median,
    high,
  ]) ?? [];

/** Forecast as a table. The chart shows it as a fan. */
const forecastTable = (forecast: ShownForecast | null, at: number): Html =>
  forecast === null || forecast.horizons.length === 0
    ? html`<p class="soft small">No forecast yet. Forecasts cover videos observed in the last two days and need enough finished growth curves.</p>`
    : html`<details><summary class="small">Forecast as a table</summary><p class="small soft">${ESTIMATED} made ${sinceText(Date.parse(forecast.madeAt), at)}, hours count from then. 8 in 10 videos land in this range.</p>
<div class="scroll"><table class="data"><caption class="unseen">Forecast views</caption><thead><tr><th scope="col">after</th><th scope="col" class="n">low</th><th scope="col" class="n">median</th><th scope="col" class="n">high</th></tr></thead><tbody>${forecast.horizons.map(
        ({ hours, low, median, high }) =>
          html`<tr><td>${inHours(hours)}</td><td class="n">${count(low)}</td><td class="n">${count(median)}</td><td class="n">${count(high)}</td></tr>`,
      )}</tbody></table></div></details>`;

const aboutVideo = (view: PageView, item: ContentItem): Html => {
  const { platform, user, createdAt, id, hashtags = [] } = item;
  const by =
    user === null || user === ''
      ? html`unknown creator`
      : html`<a href="${linkTo(view, creatorPath(platform, user))}"><bdi>${user}</bdi></a>`;
  const published =
    createdAt === null ? NOTHING : html`published ${sinceText(Date.parse(createdAt), view.at)}`;
  const url = videoSubject(id, platform, user).url;
  const tags = hashtags.map(
    (tag) => html`<a class="chip" dir="auto" href="${linkTo(view, hashtagPath(tag))}">#${tag}</a> `,
  );
  return html`<span>by ${by}</span>${createdAt === null ? NOTHING : html`<span>${published}</span>`}<code>${id}</code>${platformLink(platform, url)}<span>${tags}</span>`;
};

/** Columns of the downloaded snapshots. */
const SNAPSHOT_COLUMNS: readonly Column<TimelinePoint>[] = [
  fileColumn('observed_at', 'TIMESTAMP_MILLIS', ({ at }) => at),
  fileColumn('views', 'INT64', ({ views }) => views),
  fileColumn('likes', 'INT64', ({ likes }) => likes),
  fileColumn('engagement_rate', 'DOUBLE', ({ engagementRate }) => engagementRate),
];

/** Milestones up to the first one that is not reached yet. */
const upToNext = (all: readonly Milestone[]): readonly Milestone[] => {
  const next = all.findIndex(({ state }) => state === 'not yet');
  return next === -1 ? all : all.slice(0, next + 1);
};

/** `/videos/{id}`: one video with its growth, forecast, lists, milestones and analysis. */
export const videoPage = (deps: PageDeps): void => {
  const { lake, clock, reads } = deps.service;
  const find = (id: string, at: number) => {
    const found = videoByIdAsOf(lake, id, at);
    if (found === undefined)
      throw new RefusedError('not-found', `No video "${id}" in the lake as of ${isoOf(at)}.`);
    return found;
  };
  pageRoute(deps, {
    path: '/videos/{id}',
    params: { id: idPath },
    make: async ({ params: { id }, view, moment }) => {
      const { key } = find(id, view.at);
      const findings = await reads.read('findings', { id, asOf: view.at }, requesterOf(moment));
      const snapshots = timeline(lake, key, view.at);
      const points = snapshots.map(({ at, views }): ChartPoint => [at, views]);
      const forecast = shownForecast(lake.sqlite, key, view.at);
      const item = videoRecord(lake, key, view.at);
      const countedAt = snapshots.findLast(({ views }) => views !== null)?.at ?? null;
      const isFresh = countedAt !== null && countedAt > view.at - DAY_MS;
      const stays = readListStays(lake, key, view.at);
      const gained = isFresh ? gainedInDay(lake, item.platform, key, view.at) : null;
      const reached = milestones(lake, key, view.at);
      const marks = reached.flatMap(({ reachedAt, milestone }): [number, number][] =>
        reachedAt === null ? [] : [[reachedAt, milestone]],
      );
      // no language model: opening a page must not cost a call
      const analysis = findings === undefined ? undefined : await analysisOf(findings, { clock });
      return {
        title: item.title || item.id,
        about: aboutVideo(view, item),
        countedAt,
        scripts: hasLine(points) ? CHART_SCRIPTS : [],
        main: html`${videoTiles({ item, stays, forecast, gained, countedAt, alike: findings?.alike.creators ?? 0 }, view.at)}
<section class="growth" id="growth"><div class="over"><h2>Growth</h2><a class="small" href="${linkTo(view, '/compare', { videos: item.id })}">compare</a>${downloadLinks(view, { what: 'the snapshots' })}</div>${growthFacts(item, growthCurveOf(snapshots))}${chart({ points, names: ['views'], unit: 'views', fan: fanOf(forecast), marks, repeated: snapshotCount(lake, key, view.at) - points.length })}${forecastTable(forecast, view.at)}</section>
${analysis === undefined ? NOTHING : whySection(analysis)}
${findings === undefined ? NOTHING : alikeSection(view, findings.alike)}
<div class="columns halves">${staysSection(view, stays)}${milestonesSection(view, upToNext(reached))}</div>
${analysis === undefined ? NOTHING : recipeSection(analysis)}
${followSection(lake, view, { kind: 'video', platform: item.platform, subject: item.id })}`,
      };
    },
    files: ({ params: { id }, view }) =>
      tableFiles('snapshots', SNAPSHOT_COLUMNS, async () =>
        timeline(lake, find(id, view.at).key, view.at),
      ),
  });
};
