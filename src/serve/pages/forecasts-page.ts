import { html, raw } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import { hashtagsOfTag, videosOfTag } from '../../lake/watches/tag-lens.ts';
import { firstForecast } from '../../learn/forecast/read.ts';
import type { Reliability } from '../../learn/forecast/reliability.ts';
import type { RisingVideo } from '../../learn/forecast/shapes.ts';
import type { ForecastState } from '../../learn/forecast/state.ts';
import type { ScoredWeek } from '../../learn/forecast/weeks.ts';
import { HORIZONS } from '../../learn/model/horizons.ts';
import type { KeptVolume } from '../../learn/volumes/read-volumes.ts';
import type { ForecastsFound, Rising } from '../cache/readings.ts';
import { horizon, platformQuery } from '../request/parameters.ts';
import { type Column, dataTable } from './data-table.ts';
import { count, digits, likely, overIn, sinceText } from './figures.ts';
import { forecastStateLines } from './forecast-words.ts';
import { type Html, NOTHING } from './html.ts';
import { LENS_MOST } from './list-route.ts';
import { type PageDeps, pageRoute, requesterOf } from './page-route.ts';
import { hashtagPath, linkTo, type PageView } from './page-view.ts';
import { parameterTabs, platformTabs } from './tabs.ts';
import { videoCell } from './video-columns.ts';

/** Rows of a list of rising videos. */
const RISING_SHOWN = 20;

const SIDE = 300;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** Dots of forecast against actual shares over the diagonal where both are equal. Needs no script. */
export const calibrationChart = (bins: Reliability['bins']): Html => {
  const most = Math.max(...bins.map(({ judged }) => judged));
  const x = (share: number): string => (SIDE * share).toFixed(1);
  const y = (share: number): string => (SIDE * (1 - share)).toFixed(1);
  const rules = TICKS.map((tick) => `M0 ${y(tick)}H${SIDE}M${x(tick)} 0V${SIDE}`).join('');
  const label = `Forecast and actual shares: ${bins.map(({ stated, came }) => `${percent(stated)} forecast, ${percent(came)} came`).join('; ')}`;
  return html`<figure class="calibration"><div class="square" role="img" aria-label="${label}"><svg viewBox="0 0 ${SIDE} ${SIDE}" aria-hidden="true">${raw(`<path class="rule" d="${rules}"/><path class="even" d="M0 ${SIDE}L${SIDE} 0"/>`)}${bins.map(
    ({ stated, came, judged }) =>
      html`<circle cx="${x(stated)}" cy="${y(came)}" r="${(4 + 12 * Math.sqrt(judged / most)).toFixed(1)}"><title>${percent(stated)} forecast, ${percent(came)} reached the top 10 %, ${digits(judged)} forecasts</title></circle>`,
  )}</svg>${TICKS.map((tick) => html`<span class="y" style="top:${100 - 100 * tick}%">${percent(tick)}</span><span class="x" style="left:${100 * tick}%">${percent(tick)}</span>`)}</div>
<figcaption class="small soft">across: forecast chance of the top 10 %, up: share that got there</figcaption></figure>`;
};

const HORIZON_NAMES = Object.fromEntries(HORIZONS.map((hours) => [`${hours}h`, `${hours} h`]));

const error = (value: number | null): string => (value === null ? '–' : value.toFixed(3));

const range = ({ low, high }: Pick<RisingVideo, 'low' | 'high'>): Html =>
  low === null || high === null ? NOTHING : html`${count(low)} to ${count(high)}`;

const figure = <Row>(
  name: string,
  title: string,
  show: (row: Row) => Html | string,
  hide?: 'phone',
): Column<Row> => ({ name, title, isNumber: true, show, ...(hide === undefined ? {} : { hide }) });

const nextColumns = (view: PageView, hours: number): Column<RisingVideo>[] => [
  { name: 'title', title: 'video', show: (video) => videoCell(view, video) },
  figure('top', 'top 10 %', ({ topProbability }) => likely(topProbability)),
  figure('gain', '+24 h', ({ gain24h }) => count(gain24h)),
  figure('over', 'likely over', ({ overBy }) => overIn(overBy, view.at), 'phone'),
  {
    name: 'views',
    title: 'views then',
    isNumber: true,
    hide: 'phone',
    show: ({ views, madeAt }) =>
      html`${count(views)}<br><span class="soft small">${sinceText(madeAt, view.at)}</span>`,
  },
  figure('median', `in ${hours} h`, ({ median }) => count(median), 'phone'),
  figure('range', '8 in 10 land in', range, 'phone'),
];

const tagColumns = (view: PageView): Column<KeptVolume>[] => [
  {
    name: 'tag',
    title: 'hashtag',
    show: ({ tag }) => html`<a dir="auto" href="${linkTo(view, hashtagPath(tag))}">#${tag}</a>`,
  },
  { name: 'window', title: 'over', show: ({ window }) => window ?? '–' },
  figure('volume', 'videos', ({ volume }) => count(volume)),
  figure('median', 'in a week', ({ median }) => count(median)),
  figure('range', '8 in 10 land in', range),
];

const WEEK_COLUMNS: readonly Column<ScoredWeek>[] = [
  { name: 'from', title: 'week from', show: ({ from }) => isoOf(from).slice(0, 10) },
  {
    name: 'of',
    title: 'forecast of',
    show: ({ of, hours }) => (of === 'videos' ? `views in ${hours} h` : 'hashtag volumes'),
  },
  figure('judged', 'checked', ({ score }) => digits(score.judged)),
  figure('due', 'of due', ({ score, due }) => percent(score.judged / Math.max(1, due)), 'phone'),
  figure('inside', 'within range', ({ score }) => percent(score.coverage)),
  figure(
    'calibration',
    'calibration error',
    ({ calibration }) => error(calibration?.error ?? null),
    'phone',
  ),
  figure('error', 'error', ({ score }) => error(score.error)),
  figure('stays', 'no growth', ({ score }) => error(score.countStays)),
  figure('pace', 'same pace', ({ score }) => error(score.paceGoesOn), 'phone'),
  figure('cohort', "cohort's median", ({ score }) => error(score.cohortMedian), 'phone'),
];

const RELIABILITY_COLUMNS: readonly Column<Reliability['bins'][number]>[] = [
  { name: 'stated', title: 'average forecast', show: ({ stated }) => percent(stated) },
  { name: 'came', title: 'reached top 10 %', show: ({ came }) => percent(came) },
  figure('judged', 'forecasts', ({ judged }) => digits(judged)),
];

const statesList = (states: readonly ForecastState[]): Html =>
  states.length === 0
    ? html`<p class="soft">No forecasts yet: no growth curve is finished. Wait a few nights of syncs, or import history and run <code>${commandText('forecast --learn')}</code>.</p>`
    : html`<ul class="plain">${forecastStateLines(states).map((words) => html`<li>${words}</li>`)}</ul>`;

const reliabilitySection = (view: PageView, reliability: Reliability | undefined): Html => {
  if (reliability === undefined)
    return html`<p class="soft">No forecast video has a finished growth curve yet.</p>`;
  const { judged, error: gap, brier, bins } = reliability;
  const known = bins.filter((bin) => bin.judged > 0);
  return html`<p class="small soft">${digits(judged)} forecasts from the last eight weeks with finished growth curves. A forecast is right on average where its dot is on the diagonal. Large dots stand for many forecasts.</p>
${calibrationChart(known)}
<details><summary class="small">The numbers: calibration error ${error(gap)}, Brier score ${error(brier)}</summary>${dataTable(view, RELIABILITY_COLUMNS, known, { caption: 'Forecast and actual share of videos in the top 10 %' })}</details>`;
};

interface Shown extends ForecastsFound {
  readonly platform: Platform;
  readonly hours: number;
}

const main = (view: PageView, shown: Shown): Html => {
  const { platform, hours, rising, scored } = shown;
  const { videos: next, risen, tags } = rising;
  const states = shown.states.filter(
    (state) => state.platform === platform || state.platform === '',
  );
  const weeks = scored.weeks.filter((week) => week.platform === platform || week.platform === '');
  return html`<div class="grid"><div class="stack">
<section id="next"><h2>Rising next <span class="soft small">not yet in the top 10 % by growth, likely to get there</span></h2>${
    next.length === 0
      ? html`<p class="soft">No forecasts for this platform yet.</p>`
      : dataTable(view, nextColumns(view, hours), next, { caption: 'Rising next' })
  }<p class="soft small">Likely over: 8 in 10 similar videos stopped rising by then.</p></section>
<section id="risen"><h2>Already on top <span class="soft small">in the top 10 % by growth</span></h2>${
    risen.length === 0
      ? html`<p class="soft">No tracked video is there yet.</p>`
      : dataTable(view, nextColumns(view, hours), risen, { caption: 'Already on top' })
  }</section>
<section id="scores"><h2>Track record <span class="soft small">week by week</span></h2>${
    weeks.length === 0
      ? html`<p class="soft">No forecast can be checked yet.</p>`
      : html`${dataTable(view, WEEK_COLUMNS, weeks, { caption: 'Scores week by week', hasLinks: false })}<p class="soft small">Of due: share of the forecasts whose time came and whose video was counted again. The scores say nothing about the others. The error is the median of |ln(forecast + 1000) − ln(actual + 1000)|, for hashtags with + 10. The last three columns are simple baselines for comparison.</p>`
  }</section>
</div><div class="stack">
<section id="states"><h2>Training data</h2>${statesList(states)}</section>
<section id="reliability"><h2>Forecasts and outcomes</h2>${reliabilitySection(view, scored.reliability.get(platform))}</section>
<section id="tags"><h2>Hashtags in a week <span class="soft small">by expected growth</span></h2>${
    tags.length === 0
      ? html`<p class="soft">No hashtag forecasts yet. They need eight weeks of volumes.</p>`
      : tags.map((list) =>
          dataTable(view, tagColumns(view), list, {
            caption:
              list[0]?.platform === ''
                ? 'Hashtags of all platforms in a week'
                : 'Hashtags in a week',
          }),
        )
  }</section>
</div></div>`;
};

/** Forecasts of videos and hashtags that a tag's watches cover. */
const ofTag = (lake: Lake, tag: string, { videos, risen, tags }: Rising): Rising => {
  const isOfTag = hashtagsOfTag(lake, tag);
  const isVideoOfTag = videosOfTag(lake, tag);
  return {
    videos: videos.filter(isVideoOfTag).slice(0, RISING_SHOWN),
    risen: risen.filter(isVideoOfTag).slice(0, RISING_SHOWN),
    tags: tags
      .map((list) => list.filter(isOfTag).slice(0, RISING_SHOWN))
      .filter((list) => list.length > 0),
  };
};

/** `/forecasts`: forecasts of a platform, with intervals and track record. */
export const forecastsPage = (deps: PageDeps): void =>
  pageRoute(deps, {
    path: '/forecasts',
    query: { platform: platformQuery, horizon },
    make: async ({ query, view, moment }) => {
      const { lake, reads } = deps.service;
      const platform = query.platform ?? firstForecast(lake.sqlite, view.at) ?? 'tiktok';
      const hours = query.horizon;
      const { tag } = view.query;
      const limit = tag === undefined ? RISING_SHOWN : LENS_MOST;
      const found = await reads.read(
        'forecasts',
        { platform, hours, at: view.at, limit, tagsOf: [platform, ''] },
        requesterOf(moment),
      );
      return {
        title: 'Forecasts',
        about: html`${platformTabs(view, platform)}${parameterTabs(view, 'Ahead', { parameter: 'horizon', names: HORIZON_NAMES, chosen: `${hours}h`, usual: '24h' })}`,
        pulledAt: null,
        main: main(view, {
          platform,
          hours,
          ...found,
          rising: tag === undefined ? found.rising : ofTag(lake, tag, found.rising),
        }),
      };
    },
  });
