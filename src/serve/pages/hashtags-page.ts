import { html } from 'hono/html';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { HashtagItem } from '../../base/wire/shapes.ts';
import { hashtagsPage } from '../../lake/lists/hashtag-list.ts';
import { hashtagsOfTag } from '../../lake/watches/tag-lens.ts';
import { dateRange, platformQuery, type RequestedWindow } from '../request/parameters.ts';
import { ranked } from './column-kinds.ts';
import { PLATFORM_NAMES } from './figures.ts';
import { HASHTAG_COLUMNS, tagLimits } from './hashtag-columns.ts';
import { listRoute, listSection } from './list-route.ts';
import { heldOf, listOrigin, notice } from './marks.ts';
import type { PageDeps } from './page-route.ts';
import type { PageView } from './page-view.ts';
import { parameterTabs, platformTabs } from './tabs.ts';

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
