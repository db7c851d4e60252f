import { html } from 'hono/html';
import { PERIODS, PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { ListMoment, ListPage } from '../../lake/lists/list-page.ts';
import { feedPage, trendsPage } from '../../lake/lists/video-lists.ts';
import { videosOfTag } from '../../lake/watches/tag-lens.ts';
import type { ServiceContext } from '../request/context.ts';
import { dateRange, platformPath, type RequestedWindow } from '../request/parameters.ts';
import { dataTable, showing } from './data-table.ts';
import { number, PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { LENS_MOST, listRoute, listSection } from './list-route.ts';
import { emptyState, heldOf, listOrigin } from './marks.ts';
import { choiceOf } from './page-parameters.ts';
import { type PageDeps, pageRoute } from './page-route.ts';
import { linkTo, type PageView } from './page-view.ts';
import { parameterTabs, tabs } from './tabs.ts';
import { videoColumns } from './video-columns.ts';

const LISTS = ['feed', ...PERIODS] as const;
type ListName = (typeof LISTS)[number];

const list = choiceOf(LISTS).transform((value) => value ?? 'feed');
const window = dateRange('24h');

const NAMES: Readonly<Record<ListName, string>> = {
  feed: 'Feed',
  day: 'Trends of the day',
  week: 'of the week',
  month: 'of the month',
};

interface ListRequest {
  readonly list: ListName;
  readonly dateRange: RequestedWindow;
  readonly platform: Platform;
}

const readList = (
  { reads: { lists } }: ServiceContext,
  { list: name, dateRange: { token, windowMs }, platform }: ListRequest,
  wanted: ListMoment,
): Promise<ListPage<ContentItem>> =>
  name === 'feed'
    ? feedPage(lists, { ...wanted, platform, dateRange: token, windowMs })
    : trendsPage(lists, { ...wanted, platform, period: name });

const listTabs = (view: PageView, chosen: ListName): Html =>
  parameterTabs(view, 'List', {
    parameter: 'list',
    names: NAMES,
    chosen,
    usual: 'feed',
    clears: { dateRange: undefined, sort: undefined },
  });

/** Link to the changes of the shown list in the last 24 hours. */
const sinceYesterday = (view: PageView, list: ListName, platform?: Platform): Html =>
  html`<a href="${linkTo(view, '/diff', { list, platform, from: '24h' })}">since yesterday</a>`;

const trendsTabs = (view: PageView, chosen: Platform | undefined): Html => {
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

const NONE = 'No videos in this window. Try another platform, list or time.';
const SIDE_ROWS = 20;

const aboutPace = (isPulled: boolean): Html =>
  html`<p class="soft small">Views per hour are ${isPulled ? 'reported by the API for this list' : 'the mean over this list’s window'}, so they differ between lists.</p>`;

const sideBySide = (deps: PageDeps): void =>
  pageRoute(deps, {
    path: '/trends',
    query: { list, dateRange: window },
    make: async ({ query, view, moment }) => {
      const { tag } = view.query;
      const covers = tag === undefined ? undefined : videosOfTag(deps.service.lake, tag);
      const limit = covers === undefined ? SIDE_ROWS : LENS_MOST;
      const lists = await Promise.all(
        PLATFORMS.map(async (platform) => {
          const wanted = { ...query, platform };
          const page = await readList(deps.service, wanted, { ...moment, limit, page: 1 });
          const items = covers === undefined ? page.items : page.items.filter(covers);
          const total = covers === undefined ? page.total : items.length;
          return { platform, page, total, items: items.slice(0, SIDE_ROWS) };
        }),
      );
      const columns = showing(videoColumns(), ['rank', 'title', 'views', 'velocity']);
      const pulled = lists.map(({ page }) => page.pulledAt ?? 0);
      return {
        title: 'Trends',
        about: html`${trendsTabs(view, undefined)}${listTabs(view, query.list)}${sinceYesterday(view, query.list)}`,
        pulledAt: Math.max(...pulled) || null,
        pulledBy: query.list === 'feed' ? 'feed' : 'trends',
        main: html`<div class="columns sided">${lists.map(
          ({
            platform,
            page,
            total,
            items,
          }) => html`<section><h2><a href="${linkTo(view, `/trends/${platform}`, view.query)}">${PLATFORM_NAMES[platform]}</a> <span class="soft small">${number(total)} videos · ${listOrigin(page.pulledAt, view.at)}</span></h2>
${
  total === 0
    ? emptyState(view, NONE)
    : dataTable(view, columns, items, {
        caption: `${NAMES[query.list]}, ${platform}`,
      })
}</section>`,
        )}</div>
${aboutPace(pulled.some((at) => at > 0))}`,
      };
    },
  });

const onePlatform = (deps: PageDeps): void => {
  const { service } = deps;
  const columns = videoColumns({ lake: service.lake });
  listRoute(deps, {
    path: '/trends/{platform}',
    params: { platform: platformPath },
    query: { list, dateRange: window },
    columns,
    list:
      ({ params: { platform }, query, moment }) =>
      async (paging) => {
        const head = await readList(service, { ...query, platform }, { ...moment, ...paging });
        return { rows: head.items, held: head.held, head };
      },
    covers: videosOfTag,
    fileName: ({ params: { platform }, query }) => `trends-${platform}-${query.list}`,
    make: ({ params: { platform }, query, view }, shown) => {
      const { head } = shown;
      const title =
        query.list === 'feed'
          ? `${PLATFORM_NAMES[platform]} feed`
          : `${PLATFORM_NAMES[platform]} trends of the ${query.list}`;
      return {
        title,
        about: html`${trendsTabs(view, platform)}${listTabs(view, query.list)}${sinceYesterday(view, query.list, platform)}`,
        pulledAt: head.pulledAt,
        pulledBy: query.list === 'feed' ? 'feed' : 'trends',
        main: listSection(view, shown, {
          heading: listOrigin(head.pulledAt, view.at),
          note: heldOf(head.held, head.total),
          caption: title,
          none: NONE,
          total: head.total,
          after: head.total === 0 ? NOTHING : aboutPace(head.pulledAt !== null),
        }),
      };
    },
  });
};

/** `/trends`: all platforms side by side. `/trends/{platform}`: the whole list of one platform. */
export const trendsPages = (deps: PageDeps): void => {
  sideBySide(deps);
  onePlatform(deps);
};
