import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { PERIODS, PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { PERIOD_MS } from '../../history/computed-list.ts';
import type { ListMoment, ListPage, Reading } from '../../history/list-page.ts';
import { feedPage, trendsPage } from '../../history/video-lists.ts';
import type { ContentItem } from '../../wire/shapes.ts';
import type { ServiceContext } from '../context.ts';
import { dateRange, platformPath, type Window } from '../parameters.ts';
import {
  dataTable,
  downloadLinks,
  type Listed,
  pagingLinks,
  showing,
  shownPart,
  wholeOf,
} from './data-table.ts';
import { number, PLATFORM_NAMES } from './figures.ts';
import type { Html } from './html.ts';
import { emptyState, heldOf, listOrigin } from './marks.ts';
import { type PageDeps, type PageMoment, pageRoute, tableParameters } from './page-route.ts';
import { linkHere, linkTo, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';
import { tabs } from './tabs.ts';
import { timelinesOf } from './timelines.ts';
import { videoColumns } from './video-columns.ts';

const LISTS = ['feed', ...PERIODS] as const;
type ListName = (typeof LISTS)[number];

const list = z
  .enum(LISTS, { error: `Expected one of ${LISTS.join(', ')}.` })
  .optional()
  .transform((value) => value ?? 'feed');
const window = dateRange('24h');

const NAMES: Readonly<Record<ListName, string>> = {
  feed: 'Feed',
  day: 'Trends of the day',
  week: 'of the week',
  month: 'of the month',
};

interface ListRequest {
  readonly list: ListName;
  readonly dateRange: Window;
  readonly platform: Platform;
}

const readList = (
  { reads: { lists } }: ServiceContext,
  { list: name, dateRange: { token, windowMs }, platform }: ListRequest,
  asked: ListMoment,
): Reading<ListPage<ContentItem>> =>
  name === 'feed'
    ? feedPage(lists, { ...asked, platform, dateRange: token, windowMs })
    : trendsPage(lists, { ...asked, platform, period: name });

const windowsOf = ({ list: name, dateRange: range }: Pick<ListRequest, 'list' | 'dateRange'>) => [
  name === 'feed' ? range.windowMs : PERIOD_MS[name],
];

/** Which list: the feed, or the trends of a period. */
const listTabs = (view: PageView, chosen: ListName): Html =>
  tabs(
    'List',
    LISTS.map((name) => ({
      name: NAMES[name],
      address: linkHere(view, {
        list: name === 'feed' ? undefined : name,
        dateRange: undefined,
        sort: undefined,
      }),
      isChosen: name === chosen,
    })),
  );

/** Which platform: all side by side, or one of them. */
const platformTabs = (view: PageView, chosen: Platform | undefined): Html => {
  const { list: name, dateRange: range } = view.query;
  const kept = { list: name, dateRange: range };
  return tabs('Platform', [
    {
      name: 'side by side',
      address: linkTo(view, '/trends', kept),
      isChosen: chosen === undefined,
    },
    ...PLATFORMS.map((platform) => ({
      name: PLATFORM_NAMES[platform],
      address: linkTo(view, `/trends/${platform}`, kept),
      isChosen: platform === chosen,
    })),
  ]);
};

const NONE = 'Nothing was seen in this window. Another platform, list or instant may hold more.';
const SIDE_ROWS = 20;

const sideBySide = (deps: PageDeps): void =>
  pageRoute(deps, {
    path: '/trends',
    params: z.object({}),
    query: z.object({ list, dateRange: window }),
    make: async ({ query, view, moment }) => {
      const lists = await Promise.all(
        PLATFORMS.map(async (platform) => ({
          platform,
          page: await readList(
            deps.service,
            { ...query, platform },
            { ...moment, limit: SIDE_ROWS, page: 1 },
          ),
        })),
      );
      const columns = showing(videoColumns({ view }), ['rank', 'title', 'views', 'velocity']);
      const pulled = lists.map(({ page }) => page.pulledAt ?? 0);
      return {
        title: 'Trends',
        about: html`${platformTabs(view, undefined)}${listTabs(view, query.list)}`,
        pulledAt: Math.max(...pulled) || null,
        windowsMs: windowsOf(query),
        main: html`<div class="columns">${lists.map(
          ({
            platform,
            page,
          }) => html`<section><h2><a href="${linkTo(view, `/trends/${platform}`, view.query)}">${PLATFORM_NAMES[platform]}</a> <span class="soft small">${number(page.total)} videos · ${listOrigin(page.pulledAt, view.at)}</span></h2>
${
  page.total === 0
    ? emptyState(view, NONE)
    : dataTable(view, columns, page.items(), {
        caption: `${NAMES[query.list]}, ${platform}`,
        isSortable: false,
      })
}</section>`,
        )}</div>`,
      };
    },
  });

const onePlatform = (deps: PageDeps): void => {
  const { service } = deps;
  const columnsFor = (view: PageView) =>
    videoColumns({ view, timelineOf: timelinesOf(service, view.at) });
  const listed =
    (asked: ListRequest, moment: PageMoment): Listed<ContentItem, ListPage<ContentItem>> =>
    async (paging) => {
      const head = await readList(service, asked, { ...moment, ...paging });
      return { rows: head.items(), held: head.held(), head };
    };
  const sortable = tableParameters(columnsFor({} as PageView));
  pageRoute(deps, {
    path: '/trends/{platform}',
    params: z.object({ platform: platformPath }),
    query: z.object({ list, dateRange: window, ...sortable }),
    make: async ({ params: { platform }, query, view, moment }) => {
      const columns = columnsFor(view);
      const shown = await shownPart(listed({ ...query, platform }, moment), columns, query);
      const { head } = shown;
      const title =
        query.list === 'feed'
          ? `${PLATFORM_NAMES[platform]} feed`
          : `${PLATFORM_NAMES[platform]} trends of the ${query.list}`;
      return {
        title,
        about: html`${platformTabs(view, platform)}${listTabs(view, query.list)}`,
        pulledAt: head.pulledAt,
        windowsMs: windowsOf(query),
        main: html`<section><div class="over"><h2>${listOrigin(head.pulledAt, view.at)} <span class="soft small">${heldOf(head.held(), head.total)}</span></h2>${downloadLinks(view)}</div>
${head.total === 0 ? emptyState(view, NONE) : html`${dataTable(view, columns, shown.rows, { caption: title, sort: query.sort })}${pagingLinks(view, shown)}`}</section>`,
      };
    },
    files: ({ params: { platform }, query, view, moment }) => {
      const columns = columnsFor(view);
      return tableFiles(`trends-${platform}-${query.list}`, columns, async () => {
        const list = listed({ ...query, platform }, moment);
        return (await wholeOf(list, columns, query.sort)).rows;
      });
    },
  });
};

/** `/trends`: the lists of all platforms side by side; `/trends/{platform}`: one of them, whole. */
export const trendsPages = (deps: PageDeps): void => {
  sideBySide(deps);
  onePlatform(deps);
};
