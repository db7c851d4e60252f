import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import type { CreatorsQuery } from '../../lake/lists/creator-lists.ts';
import { creatorsOfTag } from '../../lake/watches/tag-lens.ts';
import { platformQuery } from '../request/parameters.ts';
import { ranked } from './column-kinds.ts';
import { CREATOR_COLUMNS } from './creator-columns.ts';
import { digits } from './figures.ts';
import type { Html } from './html.ts';
import { listRoute, listSection } from './list-route.ts';
import { choiceOf } from './page-parameters.ts';
import { type PageDeps, requesterOf } from './page-route.ts';
import { linkTo, type PageView } from './page-view.ts';
import { parameterTabs, platformTabs } from './tabs.ts';

const LISTS = { rising: 'rising', largest: 'largest' };
const list = choiceOf(['rising', 'largest']).transform((value) => value ?? 'rising');

const head = (
  view: PageView,
  chosen: CreatorsQuery['list'],
  platform: Platform | undefined,
): Html =>
  html`${platformTabs(view, platform, 'all')}${parameterTabs(view, 'List', { parameter: 'list', names: LISTS, chosen, usual: 'rising', clears: { sort: undefined } })}<a href="${linkTo(view, '/compare', { platform })}">compare creators</a>`;

const NONE = {
  rising:
    'No growth known yet. It needs two follower counts of a creator, a week apart. Try the list of the largest.',
  largest: 'No follower counts at this time.',
} as const;

const ABOUT = {
  rising: 'By follower growth: the newest count compared with one taken 7 to 14 days earlier.',
  largest: 'By newest follower count.',
} as const;

/** `/creators`: the fastest growing and the largest creators. */
export const creatorsListPage = (deps: PageDeps): void =>
  listRoute(deps, {
    path: '/creators',
    query: { list, platform: platformQuery },
    columns: CREATOR_COLUMNS,
    list:
      ({ query: { list: name, platform }, view, moment }) =>
      async (paging) => {
        const wanted = { list: name, platform, asOf: view.at, ...paging };
        const by = requesterOf(moment);
        const { total, items } = await deps.service.reads.read('creators', wanted, by);
        return { rows: ranked(items, paging), held: total, head: undefined };
      },
    covers: creatorsOfTag,
    fileName: ({ query }) => `creators-${query.list}`,
    make: ({ query, view }, shown) => ({
      title: 'Creators',
      about: head(view, query.list, query.platform),
      main: listSection(view, shown, {
        heading: query.list === 'rising' ? 'Rising' : 'Largest',
        note: `${digits(shown.held)} creators. ${ABOUT[query.list]}`,
        caption: 'Creators',
        none: NONE[query.list],
      }),
    }),
  });
