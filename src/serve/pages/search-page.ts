import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import { COUNTED_MOST } from '../../lake/search/search.ts';
import { videosOfTag } from '../../lake/watches/tag-lens.ts';
import type { FoundPage } from '../cache/heavy-reads.ts';
import type { ServiceContext } from '../request/context.ts';
import {
  openDateRange,
  platformQuery,
  type RequestedWindow,
  searchText,
} from '../request/parameters.ts';
import type { Listed } from './data-table.ts';
import { digits } from './figures.ts';
import type { Html } from './html.ts';
import { listRoute, listSection } from './list-route.ts';
import { hiddenLens, options, platformSelect } from './marks.ts';
import type { PageDeps, PageMoment } from './page-route.ts';
import type { PageView } from './page-view.ts';
import { videoColumns } from './video-columns.ts';

const RANGES = {
  '': 'any time',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '366d': 'a year',
};

interface Wanted {
  readonly q?: string | undefined;
  readonly platform?: Platform | undefined;
  readonly dateRange?: RequestedWindow | undefined;
}

const searchForm = (view: PageView, { q, platform, dateRange }: Wanted): Html =>
  html`<form class="search" method="get" action="/search" role="search">
  <label class="grow"><span class="soft small">words in titles, handles and hashtags</span><input type="search" name="q" value="${q ?? ''}" placeholder="&quot;slow cooking&quot; ramen -instant" maxlength="200" required></label>
  <label><span class="soft small">platform</span>${platformSelect('all', platform)}</label>
  <label><span class="soft small">published within</span><select name="dateRange">${options(Object.entries(RANGES), dateRange?.token)}</select></label>
  ${hiddenLens(view)}<button>search</button></form>
<p class="soft small">All words must match. You can use <code>"a phrase"</code>, <code>prefix*</code> and <code>-without</code>, in any script.</p>`;

const listed =
  (
    { reads }: ServiceContext,
    { q, platform, dateRange }: Wanted,
    moment: PageMoment,
  ): Listed<ContentItem, FoundPage | undefined> =>
  async (paging) => {
    if (q === undefined) return { rows: [], held: 0, head: undefined };
    const windowMs = dateRange?.windowMs;
    const head = await reads.search({ ...paging, q, platform, windowMs, ...moment });
    return { rows: head.items, held: head.total, head };
  };

/** `/search`: videos by words, best match first. Same results as `GET /v1/search`. */
export const searchPageRoute = (deps: PageDeps): void => {
  const { service } = deps;
  const columns = videoColumns({ lake: service.lake, isMixed: true }).filter(
    ({ name }) => name !== 'velocity' && name !== 'score', // search results are not ranked by them
  );
  listRoute(deps, {
    path: '/search',
    query: { q: searchText.optional(), platform: platformQuery, dateRange: openDateRange },
    columns,
    list: ({ query, moment }) => listed(service, query, moment),
    covers: videosOfTag,
    fileName: () => 'search',
    make: ({ query, view }, shown) => {
      const form = html`<section>${searchForm(view, query)}</section>`;
      if (shown.head === undefined) return { title: 'Search', main: form };
      const { isCutOff } = shown.head;
      const total = shown.tag === undefined ? shown.head.total : shown.held;
      const isAtLeast = isCutOff || total === COUNTED_MOST;
      const found = listSection(view, shown, {
        heading: 'Results',
        caption: 'Videos found, best match first',
        none: 'No videos match. Try fewer words, a prefix* or any time.',
        total,
      });
      return {
        title: `Search: ${query.q}`,
        about: html`${isAtLeast ? 'at least ' : ''}${digits(total)} ${total === 1 ? 'video' : 'videos'}`,
        main: html`${form}${found}`,
      };
    },
  });
};
