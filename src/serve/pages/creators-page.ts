import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { type CreatorsQuery, creatorsPage } from '../../history/creator-lists.ts';
import { platformQuery } from '../parameters.ts';
import { creatorColumns, type RankedCreator } from './creator-columns.ts';
import {
  dataTable,
  downloadLinks,
  type Listed,
  pagingLinks,
  shownPart,
  wholeOf,
} from './data-table.ts';
import { digits, PLATFORM_NAMES } from './figures.ts';
import type { Html } from './html.ts';
import { emptyState } from './marks.ts';
import { type PageDeps, pageRoute, tableParameters } from './page-route.ts';
import { linkHere, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';
import { tabs } from './tabs.ts';

const LISTS = ['rising', 'largest'] as const;
const list = z
  .enum(LISTS, { error: `Expected one of ${LISTS.join(', ')}.` })
  .optional()
  .transform((value) => value ?? 'rising');

const head = (
  view: PageView,
  chosen: CreatorsQuery['list'],
  platform: Platform | undefined,
): Html =>
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
    'List',
    LISTS.map((name) => ({
      name,
      address: linkHere(view, { list: name === 'rising' ? undefined : name, sort: undefined }),
      isChosen: name === chosen,
    })),
  )}`;

const NONE = {
  rising:
    'No rise is known yet: it takes two counts of a creator’s followers, a week apart. The largest may be there.',
  largest: 'No creator’s followers had been counted by then.',
} as const;

const ABOUT = {
  rising:
    'By how much their followers grew: the newest count against the one a week (at most a fortnight) before it.',
  largest: 'By followers, as last counted.',
} as const;

/** `/creators`: who gains followers fastest, and who has most. */
export const creatorsListPage = (deps: PageDeps): void => {
  const { lake } = deps.service;
  const listed =
    (
      query: { list: CreatorsQuery['list']; platform?: Platform | undefined },
      asOf: number,
    ): Listed<RankedCreator, undefined> =>
    async (paging) => {
      const { list: name, platform } = query;
      const { total, items } = creatorsPage(lake, { list: name, platform, asOf, ...paging });
      const before = (paging.page - 1) * paging.limit;
      const rows = items.map((row, index) => ({ ...row, place: before + index + 1 }));
      return { rows, held: total, head: undefined };
    };
  pageRoute(deps, {
    path: '/creators',
    params: z.object({}),
    query: z.object({
      ...{ list, platform: platformQuery },
      ...tableParameters(creatorColumns({} as PageView)),
    }),
    make: async ({ query, view }) => {
      const columns = creatorColumns(view);
      const shown = await shownPart(listed(query, view.at), columns, query);
      return {
        title: 'Creators',
        about: head(view, query.list, query.platform),
        windowsMs: [],
        main: html`<section><div class="over"><h2>${query.list === 'rising' ? 'Rising' : 'Largest'} <span class="soft small">${digits(shown.held)} creators. ${ABOUT[query.list]}</span></h2>${shown.held === 0 ? '' : downloadLinks(view)}</div>
${shown.held === 0 ? emptyState(view, NONE[query.list]) : html`${dataTable(view, columns, shown.rows, { caption: 'Creators', sort: query.sort })}${pagingLinks(view, shown)}`}</section>`,
      };
    },
    files: ({ query, view }) => {
      const columns = creatorColumns(view);
      return tableFiles(`creators-${query.list}`, columns, async () => {
        return (await wholeOf(listed(query, view.at), columns, query.sort)).rows;
      });
    },
  });
};
