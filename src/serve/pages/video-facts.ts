import { html } from 'hono/html';
import { HOUR_MS } from '../../base/durations.ts';
import type { ContentItem, GrowthCurve } from '../../base/wire/shapes.ts';
import { listTitle } from '../../lake/lists/pulled-list.ts';
import type { ListStay } from '../../lake/read/list-stays.ts';
import type { ShownForecast } from '../../learn/forecast/shapes.ts';
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
  tile,
} from './figures.ts';
import { type Html, NOTHING } from './html.ts';

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

export const listName = (list: ListStay): string =>
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
