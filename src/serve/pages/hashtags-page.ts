import { html } from 'hono/html';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { HashtagItem } from '../../base/wire/shapes.ts';
import { hashtagsPage } from '../../lake/lists/hashtag-list.ts';
import { hashtagsOfTag } from '../../lake/watches/tag-lens.ts';
import { dateRange, platformQuery, type RequestedWindow } from '../request/parameters.ts';
import {
  type Column,
  countColumn,
  fileColumn,
  type Ranked,
  rankColumn,
  ranked,
} from './data-table.ts';
import { change, direction, PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { listRoute, listSection } from './list-route.ts';
import { heldOf, listOrigin, notice, SAMPLED } from './marks.ts';
import type { PageDeps } from './page-route.ts';
import { hashtagPath, linkTo, type PageView } from './page-view.ts';
import { parameterTabs, platformTabs } from './tabs.ts';

type RankedTag = Ranked<HashtagItem>;

const volumeOn = ({ platforms }: HashtagItem, name: string): number | null =>
  platforms.find(({ platform }) => platform === name)?.volume ?? null;

const volumeBar = ({ volume }: HashtagItem, rows: readonly HashtagItem[]): Html => {
  const most = rows.reduce((largest, row) => Math.max(largest, row.volume ?? 0), 1);
  return html`<div class="meter" style="width:${Math.round((100 * (volume ?? 0)) / most)}%"></div>`;
};

/** Columns of a list of hashtags. A platform's column is its part of the volume. */
export const HASHTAG_COLUMNS: readonly Column<RankedTag>[] = [
  rankColumn(({ rank }) => rank),
  {
    name: 'tag',
    title: 'hashtag',
    show: (item, view, rows) =>
      html`<a class="one title" dir="auto" href="${linkTo(view, hashtagPath(item.tag))}">#${item.tag}</a>${item.sampled === true ? html` ${SAMPLED}` : NOTHING}${volumeBar(item, rows)}`,
    field: { type: 'UTF8', of: ({ tag }) => tag },
  },
  countColumn({ name: 'volume', title: 'videos', of: ({ volume }) => volume }),
  countColumn({ name: 'views', title: 'views', hide: 'phone', of: ({ views }) => views }),
  {
    name: 'change',
    title: 'change',
    isNumber: true,
    show: ({ change: value }) =>
      value === null
        ? html`<span class="soft" title="unknown: the two windows were not observed equally">–</span>`
        : html`<span class="${direction(value)}">${change(value)}</span>`,
    field: { type: 'DOUBLE', of: ({ change: value }) => value },
  },
  ...PLATFORMS.map((platform) =>
    countColumn<RankedTag>({
      name: platform,
      title: PLATFORM_NAMES[platform],
      hide: 'tablet',
      of: (item) => volumeOn(item, platform),
    }),
  ),
  fileColumn('sampled', 'INT64', ({ sampled }) => Number(sampled === true)),
];

/** Limits of a list's figures: sampled volumes, and no known change in any row. */
export const tagLimits = (items: readonly HashtagItem[]) => ({
  isSampled: items.some(({ sampled }) => sampled === true),
  hasNoChange: items.length > 0 && items.every(({ change }) => change === null),
});

const RANGES = { '24h': '24 h', '7d': '7 days', '30d': '30 days' } as const;

const headOf = (view: PageView, platform: Platform | undefined, { token }: RequestedWindow) =>
  html`${platformTabs(view, platform, 'all')}${parameterTabs(view, 'Window', { parameter: 'dateRange', names: RANGES, chosen: token, usual: '30d' })}`;

const noteOf = (items: readonly HashtagItem[]): string => {
  const { isSampled, hasNoChange } = tagLimits(items);
  return [
    isSampled ? 'Counted from videos in the lake: the API reports no volumes for this window.' : '',
    hasNoChange ? 'No change known: the lake did not observe both windows equally.' : '',
  ]
    .join(' ')
    .trim();
};

/** `/hashtags`: hashtags of all platforms or of one, by volume. Same list as `GET /v1/hashtags`. */
export const hashtagsListPage = (deps: PageDeps): void =>
  listRoute(deps, {
    path: '/hashtags',
    query: { platform: platformQuery, dateRange: dateRange('30d') },
    columns: HASHTAG_COLUMNS,
    without: ({ platform }) => (platform === undefined ? [] : PLATFORMS),
    list: ({ query, moment }) => {
      const { platform, dateRange: range } = query;
      const of = platform === undefined ? {} : { platform };
      const wanted = { ...moment, ...of, dateRange: range.token, windowMs: range.windowMs };
      return async (paging) => {
        const head = await hashtagsPage(deps.service.reads.lists, { ...wanted, ...paging });
        return { rows: ranked(head.items, paging), held: head.held, head };
      };
    },
    covers: hashtagsOfTag,
    fileName: ({ query }) => `hashtags-${query.platform ?? 'all'}-${query.dateRange.token}`,
    make: ({ query: { platform, dateRange: range }, view }, shown) => {
      const { head } = shown;
      return {
        title: 'Hashtags',
        about: headOf(view, platform, range),
        pulledAt: head.pulledAt,
        pulledBy: 'hashtags',
        main: listSection(view, shown, {
          heading: platform === undefined ? 'All platforms' : PLATFORM_NAMES[platform],
          note: `${listOrigin(head.pulledAt, view.at)} ${heldOf(head.held, head.total)}`,
          before: notice(noteOf(shown.rows)),
          caption: 'Hashtags by volume',
          none: 'No hashtags in this window. Try a longer window or another time.',
          total: head.total,
        }),
      };
    },
  });
