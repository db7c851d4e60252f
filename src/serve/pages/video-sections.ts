import { html } from 'hono/html';
import { HOUR_MS } from '../../base/durations.ts';
import { minuteOf } from '../../base/iso.ts';
import type { Analysis } from '../../base/wire/analysis-shapes.ts';
import type { ContentItem, GrowthCurve } from '../../base/wire/shapes.ts';
import { listTitle } from '../../lake/lists/pulled-list.ts';
import type { ListStay } from '../../lake/read/list-stays.ts';
import type { Milestone } from '../../lake/read/milestones.ts';
import type { ShownForecast } from '../../learn/forecast/shapes.ts';
import type { AlikeVideos } from '../../learn/why/alike.ts';
import { type Column, countColumn, dataTable, instantColumn } from './data-table.ts';
import {
  count,
  digits,
  fact,
  inHours,
  likely,
  number,
  overIn,
  PLATFORM_NAMES,
  rate,
  shownRateOf,
  sinceText,
  tile,
} from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { ESTIMATED } from './marks.ts';
import { hashtagPath, linkTo, type PageView } from './page-view.ts';
import { videoCell } from './video-columns.ts';
import { CLEAR_STRENGTH, whySentences } from './why-sentences.ts';

export interface ShownFacts {
  readonly item: ContentItem;
  readonly stays: readonly ListStay[];
  readonly forecast: ShownForecast | null;
  /** Views gained in 24 h; null: unknown. */
  readonly gained: number | null;
  readonly countedAt: number | null; // Unix ms
  /** Other creators with a video like it. */
  readonly alike: number;
}

const listName = (list: ListStay): string =>
  list.list === 'feed' ? `feed, ${list.period}` : listTitle(list);

const rankTile = (stays: readonly ListStay[]): Html => {
  const [best] = stays
    .filter(({ isThereNow }) => isThereNow)
    .sort((a, b) => a.lastRank - b.lastRank);
  if (best === undefined) return tile('rank now', '–', 'in no pulled list');
  return tile(
    'rank now',
    `#${digits(best.lastRank)}`,
    `${PLATFORM_NAMES[best.platform]} ${listName(best)}`,
  );
};

/** Shown first on the page of a video. */
export const videoTiles = (
  { item, stays, forecast, gained, countedAt, alike }: ShownFacts,
  at: number,
): Html => {
  const counted =
    countedAt === null ? '' : `counted ${inHours(Math.round((at - countedAt) / HOUR_MS))} ago`;
  const gain = gained === null ? '–' : html`${gained > 0 ? '+' : ''}${count(gained)}`;
  return html`<dl class="tiles">${rankTile(stays)}${tile('views', count(item.views), counted)}${tile('gained in 24 h', gain, gained === null ? 'needs two counts, one of the last 24 h' : 'views')}${
    forecast === null
      ? NOTHING
      : html`${tile('likely over', overIn(forecast.overBy === null ? null : Date.parse(forecast.overBy), at), '8 in 10 similar videos stop by then')}${tile('top 10 % by growth', forecast.overEdge ? 'already there' : likely(forecast.topProbability), forecast.overEdge ? 'among videos of its age' : 'chance to finish there')}`
  }${alike === 0 ? NOTHING : tile('made one like it', html`<a href="#alike">${digits(alike)}</a>`, alike === 1 ? 'other creator' : 'other creators')}</dl>`;
};

/** Shown beside the chart. */
export const growthFacts = (item: ContentItem, curve: GrowthCurve): Html =>
  html`<dl class="facts">${fact('likes', count(item.likes))}${fact('engagement', rate(shownRateOf(item)))}${fact('phase', curve.phase)}${fact('peak pace', curve.peak === null ? '–' : `${number(curve.peak.viewsPerHour)}/h`)}${fact('doubles in', curve.doublingHours === null ? '–' : inHours(curve.doublingHours))}</dl>`;

const stayColumns = (view: PageView): Column<ListStay>[] => [
  {
    name: 'list',
    title: 'list',
    show: (stay) => {
      const { list, period, platform, lastSeenAt, isThereNow } = stay;
      const query = list === 'feed' ? { dateRange: period } : { list: period };
      const name = `${PLATFORM_NAMES[platform]} ${listName(stay)}`;
      const link = html`<a href="${linkTo(view, `/trends/${platform}`, query)}">${name}</a>`;
      return html`${list === 'import' ? name : link}<span class="one soft small">${isThereNow ? 'there now' : html`left after ${sinceText(lastSeenAt, view.at)}`}</span>`;
    },
  },
  countColumn({ name: 'best_rank', title: 'best rank', of: ({ bestRank }) => bestRank }),
  countColumn({ name: 'last_rank', title: 'last', of: ({ lastRank }) => lastRank }),
  {
    name: 'hours',
    title: 'stayed',
    isNumber: true,
    show: ({ hours }) =>
      hours === 0 ? html`<span class="soft">–</span>` : inHours(Math.round(hours)),
  },
  instantColumn({
    name: 'first_seen_at',
    title: 'first seen',
    hide: 'phone',
    of: ({ firstSeenAt }) => firstSeenAt,
  }),
  countColumn({ name: 'pulls', title: 'pulls', hide: 'phone', of: ({ pulls }) => pulls }),
];

export const staysSection = (view: PageView, stays: readonly ListStay[]): Html =>
  html`<section><h2>Appeared in</h2>
${
  stays.length === 0
    ? html`<p class="soft">No pulled list contained it by then.</p>`
    : html`${dataTable(view, stayColumns(view), stays, { caption: 'Lists the video appeared in' })}
<p class="soft small">Counts the time between two pulls that both list it.</p>`
}</section>`;

const reached = (view: PageView, { state, reachedAt }: Milestone): Html => {
  if (state === 'not yet') return html`<span class="soft">not yet</span>`;
  if (reachedAt === null) return html`before it was first seen`;
  return html`${minuteOf(reachedAt)} ${ESTIMATED}<br><span class="soft small">${sinceText(reachedAt, view.at)}</span>`;
};

const took = ({ state, hours, hoursAtLeast, hoursAtMost }: Milestone): string => {
  if (hours !== null) return inHours(hours);
  if (state === 'before') return hoursAtMost === null ? '–' : `at most ${inHours(hoursAtMost)}`;
  return hoursAtLeast === null ? '–' : `over ${inHours(hoursAtLeast)}`;
};

export const milestonesSection = (view: PageView, milestones: readonly Milestone[]): Html =>
  html`<section><h2>Milestones</h2>
${
  milestones.length === 0
    ? html`<p class="soft">No snapshot has a view count.</p>`
    : html`<div class="scroll"><table class="data"><caption class="unseen">Milestones of views</caption><thead><tr><th scope="col" class="n">views</th><th scope="col">reached</th><th scope="col" class="n">after publishing</th></tr></thead><tbody>${milestones.map(
        (milestone) =>
          html`<tr><td class="n">${digits(milestone.milestone)}</td><td>${reached(view, milestone)}</td><td class="n">${took(milestone)}</td></tr>`,
      )}</tbody></table></div>`
}</section>`;

const findingsTable = (why: Analysis['why'], caption: string): Html =>
  html`<div class="scroll"><table class="data findings"><caption class="unseen">${caption}</caption><thead><tr><th scope="col">finding</th><th scope="col" class="n">strength</th></tr></thead><tbody>${why.map(
    ({ factor, finding, strength }) =>
      html`<tr><td><span class="soft small">${factor}</span><br>${finding}</td><td class="n">${strength.toFixed(2)}<div class="meter" style="width:${Math.round(100 * strength)}%"></div></td></tr>`,
  )}</tbody></table></div>`;

const recipeRows = ({ recipe }: Analysis): [string, string][] => [
  ['Hook', recipe.hook],
  ['Format', recipe.format],
  ['Caption', recipe.caption],
  ['Hashtags', recipe.hashtags.map((tag) => `#${tag}`).join(' ')],
  ...recipe.postingWindows.map(({ weekday, fromHour, toHour, finding }): [string, string] => [
    `Posting, ${weekday === 'any' ? 'any day' : weekday} ${fromHour} to ${toHour} h UTC`,
    finding,
  ]),
];

/** Why the video went viral or did not: plain sentences, with the numbers behind them. */
export const whySection = ({ summary, why }: Analysis): Html => {
  const clear = why.filter(({ strength }) => strength >= CLEAR_STRENGTH);
  const unclear = why.filter(({ strength }) => strength < CLEAR_STRENGTH);
  const sentences = whySentences(why);
  return html`<section class="analysis"><h2>Why <span class="soft small">what sets it apart, from the lake’s numbers</span></h2>
${sentences.length === 0 ? html`<p>Nothing clearly sets it apart from other videos.</p>` : html`<ul class="why">${sentences.map((sentence) => html`<li dir="auto">${sentence}</li>`)}</ul>`}
<details><summary class="small">The numbers</summary><p>${summary}</p>
${clear.length === 0 ? '' : findingsTable(clear, 'Findings, the strongest first')}
${unclear.length === 0 ? '' : html`<h3>Could be chance</h3>${findingsTable(unclear, 'Findings that could be chance')}`}
<p class="soft small">Strength: 0 may be chance, 1 is the strongest. It is computed from the cautious end of the interval.</p></details></section>`;
};

export const recipeSection = (analysis: Analysis): Html =>
  html`<section class="analysis"><h2>How to make a similar video</h2>
<dl class="recipe">${recipeRows(analysis)
    .filter(([, text]) => text !== '')
    .map(
      ([name, text]) =>
        html`<div><dt class="soft small">${name}</dt><dd dir="auto">${text}</dd></div>`,
    )}</dl>
<ol>${analysis.recipe.steps.map((step) => html`<li dir="auto">${step}</li>`)}</ol></section>`;

/** Empty without such videos. */
export const alikeSection = (view: PageView, { tags, creators, videos }: AlikeVideos): Html =>
  videos.length === 0
    ? NOTHING
    : html`<section id="alike"><h2>Who else made one like it <span class="soft small">${digits(creators)} other ${creators === 1 ? 'creator' : 'creators'} with ${tags.map((tag, i) => html`${i > 0 ? ' or ' : ''}<a dir="auto" href="${linkTo(view, hashtagPath(tag))}">#${tag}</a>`)}, published within 14 days of it</span></h2>
<div class="scroll"><table class="data"><caption class="unseen">Videos like it by other creators</caption><thead><tr><th scope="col">video</th><th scope="col" class="n">views</th><th scope="col" class="n no-phone">published</th></tr></thead><tbody>${videos.map(
        (video) =>
          html`<tr><td>${videoCell(view, video)}</td><td class="n">${count(video.views)}</td><td class="n no-phone">${video.createdAt === null ? '–' : sinceText(video.createdAt, view.at)}</td></tr>`,
      )}</tbody></table></div></section>`;
