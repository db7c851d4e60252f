import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { hashtagsPage } from '../../history/hashtag-list.ts';
import type { ListPage } from '../../history/list-page.ts';
import type { HashtagItem } from '../../wire/shapes.ts';
import type { ServiceContext } from '../context.ts';
import { dateRange, platformQuery, type Window } from '../parameters.ts';
import {
  dataTable,
  downloadLinks,
  type Listed,
  pagingLinks,
  shownPart,
  wholeOf,
} from './data-table.ts';
import { PLATFORM_NAMES } from './figures.ts';
import { hashtagColumns, type RankedTag, rankedTags } from './hashtag-columns.ts';
import { emptyState, heldOf, listOrigin, notice } from './marks.ts';
import { type PageDeps, type PageMoment, pageRoute, tableParameters } from './page-route.ts';
import { linkHere, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';
import { tabs } from './tabs.ts';

const RANGES = { '24h': '24 h', '7d': '7 days', '30d': '30 days' } as const;

const headOf = (view: PageView, platform: Platform | undefined, range: Window) =>
  html`${tabs('Platform', [
    {
      name: 'all',
      address: linkHere(view, { platform: undefined }),
      isChosen: platform === undefined,
    },
    ...PLATFORMS.map((name) => ({
      name: PLATFORM_NAMES[name],
      address: linkHere(view, { platform: name }),
      isChosen: name === platform,
    })),
  ])}${tabs(
    'Window',
    Object.entries(RANGES).map(([token, name]) => ({
      name,
      address: linkHere(view, { dateRange: token === '30d' ? undefined : token }),
      isChosen: token === range.token,
    })),
  )}`;

/** What the volumes are, and why no change may be known. */
const noteOf = (items: readonly HashtagItem[]): string => {
  const isSampled = items.some(({ sampled }) => sampled === true);
  const isUnknown = items.length > 0 && items.every(({ change }) => change === null);
  return [
    isSampled
      ? 'Counted over the videos seen here: the service states no figures for this window.'
      : '',
    isUnknown ? 'No change is known: the lake has not watched both windows alike.' : '',
  ]
    .join(' ')
    .trim();
};

interface TagsRequest {
  readonly platform?: Platform | undefined;
  readonly dateRange: Window;
}

const listed =
  (
    { reads: { lists } }: ServiceContext,
    { platform, dateRange: { token, windowMs } }: TagsRequest,
    moment: PageMoment,
  ): Listed<RankedTag, ListPage<HashtagItem>> =>
  async (paging) => {
    const of = platform === undefined ? {} : { platform };
    const asked = { ...moment, ...paging, ...of, dateRange: token, windowMs };
    const head = await hashtagsPage(lists, asked);
    const rows = rankedTags(head.items(), (paging.page - 1) * paging.limit);
    return { rows, held: head.held(), head };
  };

/** `/hashtags`: hashtags of all platforms or of one, by volume, as `GET /v1/hashtags` has them. */
export const hashtagsListPage = (deps: PageDeps): void => {
  const { service } = deps;
  const sortable = tableParameters(hashtagColumns({} as PageView));
  pageRoute(deps, {
    path: '/hashtags',
    params: z.object({}),
    query: z.object({ platform: platformQuery, dateRange: dateRange('30d'), ...sortable }),
    make: async ({ query, view, moment }) => {
      const { platform, dateRange: range } = query;
      const hasParts = platform === undefined;
      const list = listed(service, query, moment);
      const shown = await shownPart(list, hashtagColumns(view, { hasParts }), query);
      const { head } = shown;
      const most = Math.max(1, ...shown.rows.map(({ volume }) => volume ?? 0));
      const columns = hashtagColumns(view, { most, hasParts });
      return {
        title: 'Hashtags',
        about: headOf(view, platform, range),
        pulledAt: head.pulledAt,
        windowsMs: [range.windowMs, 2 * range.windowMs],
        main: html`<section><div class="over"><h2>${platform === undefined ? 'All platforms' : PLATFORM_NAMES[platform]} <span class="soft small">${listOrigin(head.pulledAt, view.at)} ${heldOf(head.held(), head.total)}</span></h2>${downloadLinks(view)}</div>
${notice(noteOf(shown.rows))}
${head.total === 0 ? emptyState(view, 'No hashtag was seen in this window. A longer one, or another instant, may hold some.') : html`${dataTable(view, columns, shown.rows, { caption: 'Hashtags by volume', sort: query.sort })}${pagingLinks(view, shown)}`}</section>`,
      };
    },
    files: ({ query, view, moment }) => {
      const { platform, dateRange: range, sort } = query;
      const columns = hashtagColumns(view, { hasParts: platform === undefined });
      return tableFiles(`hashtags-${platform ?? 'all'}-${range.token}`, columns, async () => {
        return (await wholeOf(listed(service, query, moment), columns, sort)).rows;
      });
    },
  });
};
