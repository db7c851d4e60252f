import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import type { CountedCreator, CreatorsQuery } from '../../lake/lists/creator-lists.ts';
import { creatorsOfTag } from '../../lake/watches/tag-lens.ts';
import { platformQuery } from '../request/parameters.ts';
import {
  type Column,
  countColumn,
  fileColumn,
  instantColumn,
  type Ranked,
  rankColumn,
  ranked,
  textInFiles,
} from './data-table.ts';
import { change, digits, direction, number, PLATFORM_NAMES } from './figures.ts';
import type { Html } from './html.ts';
import { listRoute, listSection } from './list-route.ts';
import { choiceOf } from './page-parameters.ts';
import { type PageDeps, requesterOf } from './page-route.ts';
import { creatorPath, linkTo, type PageView } from './page-view.ts';
import { parameterTabs, platformTabs } from './tabs.ts';

/** Followers gained per day, with a sign. */
export const gained = (perDay: number | null): string =>
  perDay === null ? '–' : `${perDay < 0 ? '−' : '+'}${number(Math.abs(Math.round(perDay)))}`;

const CREATOR_COLUMNS: readonly Column<Ranked<CountedCreator>>[] = [
  rankColumn(({ rank }) => rank),
  textInFiles('platform', ({ platform }) => platform),
  {
    name: 'handle',
    title: 'creator',
    show: ({ platform, handle }, view) =>
      html`<a class="title" dir="auto" href="${linkTo(view, creatorPath(platform, handle))}">${handle}</a><span class="one soft small">${PLATFORM_NAMES[platform]}</span>`,
    field: { type: 'UTF8', of: ({ handle }) => handle },
  },
  countColumn({ name: 'followers', title: 'followers', of: ({ followers }) => followers }),
  {
    name: 'change',
    title: '7 to 14 days',
    isNumber: true,
    show: ({ change: value, observedAt, observedBefore }) =>
      html`<span class="${direction(value)}"${observedBefore === null ? html` title="unknown: no count from a week before"` : html` title="over ${number((observedAt - observedBefore) / DAY_MS)} days"`}>${change(value)}</span>`,
    field: { type: 'DOUBLE', of: ({ change: value }) => value },
  },
  {
    name: 'gained_per_day',
    title: 'per day',
    isNumber: true,
    hide: 'phone',
    show: ({ gainedPerDay }) =>
      html`<span class="${direction(gainedPerDay)}">${gained(gainedPerDay)}</span>`,
    field: { type: 'DOUBLE', of: ({ gainedPerDay }) => gainedPerDay },
  },
  countColumn({
    name: 'followers_before',
    title: 'followers before',
    hide: 'tablet',
    of: ({ followersBefore }) => followersBefore,
  }),
  instantColumn({
    name: 'observed_at',
    title: 'counted',
    hide: 'phone',
    of: ({ observedAt }) => observedAt,
  }),
  fileColumn('observed_before', 'TIMESTAMP_MILLIS', ({ observedBefore }) => observedBefore),
];

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
