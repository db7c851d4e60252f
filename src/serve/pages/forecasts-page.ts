import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import { firstForecast, type RisingVideo } from '../../learn/forecast/read.ts';
import type { Reliability } from '../../learn/forecast/reliability.ts';
import type { ForecastState } from '../../learn/forecast/state.ts';
import type { ScoredWeek } from '../../learn/forecast/weeks.ts';
import { HORIZONS } from '../../learn/model/horizons.ts';
import type { KeptVolume } from '../../learn/volumes/read-volumes.ts';
import type { ForecastsFound } from '../cache/heavy-reads.ts';
import { horizon, platformQuery } from '../request/parameters.ts';
import { type Column, dataTable } from './data-table.ts';
import { count, digits, likely, sinceText } from './figures.ts';
import { forecastStateWords } from './forecast-words.ts';
import { type Html, NOTHING } from './html.ts';
import { type PageDeps, pageRoute, requesterOf } from './page-route.ts';
import { hashtagPath, linkHere, linkTo, type PageView } from './page-view.ts';
import { platformTabs } from './platform-tabs.ts';
import { tabs } from './tabs.ts';
import { videoCell } from './video-columns.ts';

const SHOWN = 20;
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const error = (value: number | null): string => (value === null ? '–' : value.toFixed(3));

const range = (low: number | null, high: number | null): Html =>
  low === null || high === null ? NOTHING : html`${count(low)} to ${count(high)}`;

const nextColumns = (view: PageView, hours: number): Column<RisingVideo>[] => [
  { name: 'title', title: 'video', show: (video) => videoCell(view, video) },
  {
    name: 'top',
    title: 'top 10 %',
    isNumber: true,
    show: ({ topProbability }) => html`${likely(topProbability)}`,
  },
  {
    name: 'views',
    title: 'views then',
    isNumber: true,
    hide: 'phone',
    show: ({ views, madeAt }) =>
      html`${count(views)}<br><span class="soft small">${sinceText(madeAt, view.at)}</span>`,
  },
  {
    name: 'median',
    title: `in ${hours} h`,
    isNumber: true,
    show: ({ median }) => count(median),
  },
  {
    name: 'range',
    title: '8 in 10 land in',
    isNumber: true,
    show: ({ low, high }) => range(low, high),
  },
];

const tagColumns = (view: PageView): Column<KeptVolume>[] => [
  {
    name: 'tag',
    title: 'hashtag',
    show: ({ tag }) => html`<a dir="auto" href="${linkTo(view, hashtagPath(tag))}">#${tag}</a>`,
  },
  { name: 'window', title: 'over', show: ({ window }) => html`${window ?? '–'}` },
  { name: 'volume', title: 'videos', isNumber: true, show: ({ volume }) => count(volume) },
  { name: 'median', title: 'in a week', isNumber: true, show: ({ median }) => count(median) },
  {
    name: 'range',
    title: '8 in 10 land in',
    isNumber: true,
    show: ({ low, high }) => range(low, high),
  },
];

const figure = (
  name: string,
  title: string,
  of: (week: ScoredWeek) => string,
): Column<ScoredWeek> => ({ name, title, isNumber: true, show: (week) => html`${of(week)}` });
const beside = (...given: Parameters<typeof figure>): Column<ScoredWeek> => ({
  ...figure(...given),
  hide: 'phone',
});

const WEEK_COLUMNS: readonly Column<ScoredWeek>[] = [
  { name: 'from', title: 'week from', show: ({ from }) => html`${isoOf(from).slice(0, 10)}` },
  {
    name: 'of',
    title: 'of',
    show: ({ of, hours }) => html`${of === 'videos' ? `views in ${hours} h` : 'hashtag volumes'}`,
  },
  figure('judged', 'judged', ({ score }) => digits(score.judged)),
  figure('inside', 'within range', ({ score }) => percent(score.coverage)),
  beside('calibration', 'calibration error', ({ calibration }) =>
    error(calibration?.error ?? null),
  ),
  figure('error', 'error', ({ score }) => error(score.error)),
  figure('stays', 'no growth', ({ score }) => error(score.countStays)),
  beside('pace', 'same pace', ({ score }) => error(score.paceGoesOn)),
  beside('cohort', "cohort's median", ({ score }) => error(score.cohortMedian)),
];

type Bin = Reliability['bins'][number];

const RELIABILITY_COLUMNS: readonly Column<Bin>[] = [
  { name: 'stated', title: 'average forecast', show: ({ stated }) => html`${percent(stated)}` },
  { name: 'came', title: 'reached top 10 %', show: ({ came }) => html`${percent(came)}` },
  {
    name: 'judged',
    title: 'forecasts',
    isNumber: true,
    show: ({ judged }) => html`${digits(judged)}`,
  },
];

const statesList = (states: readonly ForecastState[]): Html =>
  states.length === 0
    ? html`<p class="soft">No forecasts yet: no growth curve is finished. Wait a few nights of syncs, or import history and run <code>${commandText('forecast --learn')}</code>.</p>`
    : html`<ul class="plain">${states.map(
        (state) => html`<li><code>${state.kind}</code> ${forecastStateWords(state)}</li>`,
      )}</ul>`;

const reliabilityTable = (view: PageView, its: Reliability | undefined): Html =>
  its === undefined
    ? html`<p class="soft">No forecast video has a finished growth curve yet.</p>`
    : html`<p class="small soft">${digits(its.judged)} forecasts from the last eight weeks with finished growth curves. Calibration error ${error(its.error)}, Brier score ${error(its.brier)}.</p>${dataTable(
        view,
        RELIABILITY_COLUMNS,
        its.bins.filter(({ judged }) => judged > 0),
        { caption: 'Forecast and actual share of videos in the top 10 %', isSortable: false },
      )}`;

interface Shown extends ForecastsFound {
  readonly platform: Platform;
  readonly hours: number;
}

const main = (view: PageView, { platform, hours, rising, standing }: Shown): Html => {
  const { videos: next, tags } = rising;
  const { scored } = standing;
  const states = standing.states.filter(
    (state) => state.platform === platform || state.platform === '',
  );
  const weeks = scored.weeks.filter((week) => week.platform === platform || week.platform === '');
  const isFixed = { isSortable: false } as const;
  return html`<div class="grid"><div class="stack">
<section id="next"><h2>Rising next <span class="soft small">most likely to finish in the top 10 % of growth</span></h2>${
    next.length === 0
      ? html`<p class="soft">No forecasts for this platform yet.</p>`
      : dataTable(view, nextColumns(view, hours), next, { caption: 'Rising next', ...isFixed })
  }</section>
<section id="scores"><h2>Track record <span class="soft small">week by week</span></h2>${
    weeks.length === 0
      ? html`<p class="soft">No forecast can be checked yet.</p>`
      : html`${dataTable(view, WEEK_COLUMNS, weeks, { caption: 'Scores week by week', ...isFixed })}<p class="soft small">The error is the median of |ln(forecast + 1000) − ln(actual + 1000)|, for hashtags with + 10. The last three columns are simple baselines for comparison.</p>`
  }</section>
</div><div class="stack">
<section id="states"><h2>Training data</h2>${statesList(states)}</section>
<section id="reliability"><h2>Forecasts and outcomes</h2>${reliabilityTable(view, scored.reliability.get(platform))}</section>
<section id="tags"><h2>Hashtags in a week <span class="soft small">by expected growth</span></h2>${
    tags.length === 0
      ? html`<p class="soft">No hashtag forecasts yet. They need eight weeks of volumes.</p>`
      : tags.map((list) =>
          dataTable(view, tagColumns(view), list, {
            caption:
              list[0]?.platform === ''
                ? 'Hashtags of all platforms in a week'
                : 'Hashtags in a week',
            ...isFixed,
          }),
        )
  }</section>
</div></div>`;
};

/** `/forecasts`: forecasts of a platform, with intervals and track record. */
export const forecastsPage = (deps: PageDeps): void =>
  pageRoute(deps, {
    path: '/forecasts',
    params: z.object({}),
    query: z.object({ platform: platformQuery, horizon }),
    make: async ({ query, view, moment }) => {
      const { lake, reads } = deps.service;
      const platform = query.platform ?? firstForecast(lake.sqlite, view.at) ?? 'tiktok';
      const hours = HORIZONS.find((known) => known === query.horizon) ?? 24;
      const found = await reads.forecasts(
        { platform, hours, at: view.at, limit: SHOWN, tagsOf: [platform, ''] },
        requesterOf(moment),
      );
      return {
        title: 'Forecasts',
        about: html`${platformTabs(view, platform)}${tabs(
          'Ahead',
          HORIZONS.map((hours) => ({
            name: `${hours} h`,
            address: linkHere(view, { horizon: hours === 24 ? undefined : `${hours}h` }),
            isChosen: hours === query.horizon,
          })),
        )}`,
        pulledAt: null,
        main: main(view, { platform, hours, ...found }),
      };
    },
  });
