import { html, raw } from 'hono/html';
import { PERIODS } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { isoOf, minuteOf } from '../../base/iso.ts';
import {
  diffLists,
  LIST_CHANGES,
  type ListChange,
  type ListDiff,
  listChanges,
} from '../../lake/lists/list-diff.ts';
import { listTitle } from '../../lake/lists/pulled-list.ts';
import type { Lake } from '../../lake/open.ts';
import { refusedParameters } from '../http/problems.ts';
import { instantOrSpan, platformQuery } from '../request/parameters.ts';
import { type Column, textInFiles } from './data-table.ts';
import { digits, PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { listRoute, listSection } from './list-route.ts';
import { choiceOf, type ParametersOf } from './page-parameters.ts';
import type { PageDeps } from './page-route.ts';
import { instantText, linkHere, type PageView } from './page-view.ts';
import { parameterTabs, platformTabs, tabs } from './tabs.ts';
import { instantInput } from './time-bar.ts';
import { videoCell } from './video-columns.ts';

const LISTS = ['feed', ...PERIODS] as const;
const LIST_NAMES = {
  '': 'all lists',
  feed: 'feed',
  ...Object.fromEntries(PERIODS.map((name) => [name, `trends of the ${name}`])),
};

const listName = (list: Pick<ListDiff, 'list' | 'platform' | 'period'>) =>
  `${PLATFORM_NAMES[list.platform]} ${listTitle(list)}`;

const before = ({ title, user, previousTitle, previousUser }: ListChange): Html =>
  html`<span class="one soft small" dir="auto">${
    user === previousUser
      ? `before: ${previousTitle || 'no title'}`
      : `before: ${previousUser ?? 'unknown creator'}${title === previousTitle ? '' : `, ${previousTitle}`}`
  }</span>`;

const TONES: Readonly<Record<ListChange['change'], string>> = {
  entered: 'up',
  climbed: 'up',
  left: 'down',
  fell: 'down',
  renamed: 'soft',
};

const rankField = (name: string, title: string, of: (row: ListChange) => number | null) => ({
  name,
  title,
  isNumber: true,
  field: { type: 'INT64' as const, of },
  show: (row: ListChange) => html`${of(row) ?? raw('<span class="soft">–</span>')}`,
});

const COLUMNS: readonly Column<ListChange>[] = [
  {
    name: 'change',
    title: 'change',
    show: ({ change }) => html`<span class="${TONES[change]}">${change}</span>`,
    field: { type: 'UTF8', of: ({ change }) => change },
  },
  {
    name: 'list',
    title: 'list',
    hide: 'phone',
    show: listName,
    field: { type: 'UTF8', of: ({ list }) => list },
  },
  textInFiles('platform', ({ platform }) => platform),
  textInFiles('period', ({ period }) => period),
  textInFiles('id', ({ id }) => id),
  {
    name: 'title',
    title: 'video',
    show: (row, view) =>
      html`${videoCell(view, row)}${row.change === 'renamed' ? before(row) : NOTHING}`,
    field: { type: 'UTF8', of: ({ title }) => title },
  },
  textInFiles('user', ({ user }) => user),
  rankField('rank', 'rank', ({ rank }) => rank),
  rankField('previous_rank', 'before', ({ previousRank }) => previousRank),
  textInFiles('previous_title', ({ previousTitle }) => previousTitle),
  textInFiles('previous_user', ({ previousUser }) => previousUser),
];

const QUERY = {
  from: instantOrSpan,
  to: instantOrSpan,
  list: choiceOf(LISTS),
  platform: platformQuery,
  change: choiceOf(LIST_CHANGES),
};
type Wanted = ParametersOf<typeof QUERY>;

/** The compared instants, Unix ms. Without them: the last 24 hours. */
const spanOf = ({ from, to }: Wanted, at: number): { from: number; to: number } => {
  const instant = (value: Wanted['from'], otherwise: number): number =>
    typeof value === 'object' ? at - value.windowMs : (value ?? otherwise);
  const end = Math.min(instant(to, at), at);
  const start = instant(from, end - DAY_MS);
  if (start < end) return { from: start, to: end };
  const message = `Expected an instant before ${isoOf(end)}; got ${isoOf(start)}.`;
  throw refusedParameters('query', [{ path: ['from'], message }]);
};

const diffsOf = (lake: Lake, query: Wanted, at: number): ListDiff[] =>
  diffLists(lake, { ...spanOf(query, at), list: query.list, platform: query.platform });

const form = (view: PageView, query: Wanted): Html => {
  const { from, to } = spanOf(query, view.at);
  const kept = Object.entries(view.query).filter(
    ([name]) => !['from', 'to', 'page'].includes(name),
  );
  const pick = (name: string, at: number): Html =>
    html`<label><span class="soft small">${name}, UTC</span>${instantInput(name, at)}</label>`;
  return html`<form class="search" method="get" action="/diff">${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${
    view.isPast ? html`<input type="hidden" name="asOf" value="${instantText(view.at)}">` : NOTHING
  }${pick('from', from)}${pick('to', to)}<button>compare</button></form>`;
};

const filters = (view: PageView, { from, to, list, platform }: Wanted): Html =>
  html`${platformTabs(view, platform, 'all platforms')}${parameterTabs(view, 'List', { parameter: 'list', names: LIST_NAMES, chosen: list })}${tabs(
    'Span',
    ['24h', '7d', '30d'].map((token) => ({
      name: `last ${token.replace('h', ' h').replace('d', ' days')}`,
      address: linkHere(view, { from: token, to: undefined }),
      isChosen:
        to === undefined &&
        (from === undefined ? token === '24h' : typeof from === 'object' && from.token === token),
    })),
  )}`;

const changeTabs = (view: PageView, diffs: readonly ListDiff[], chosen: Wanted['change']): Html => {
  const counts = Map.groupBy(listChanges(diffs), ({ change }) => change);
  const counted = LIST_CHANGES.map((name) => [
    name,
    `${name} ${digits(counts.get(name)?.length ?? 0)}`,
  ]);
  const names = { '': 'all', ...Object.fromEntries(counted) };
  return parameterTabs(view, 'Change', { parameter: 'change', names, chosen });
};

const pulls = (diffs: readonly ListDiff[]): Html =>
  html`<ul class="plain small soft">${diffs.map(
    (diff) =>
      html`<li>${listName(diff)}: ${minuteOf(diff.fromAt)} to ${minuteOf(diff.toAt)}, ${digits(diff.unchanged)} unchanged</li>`,
  )}</ul>`;

/** `/diff`: what entered, left, climbed, fell and was renamed in the pulled lists between two instants. */
export const diffPage = (deps: PageDeps): void =>
  listRoute(deps, {
    path: '/diff',
    query: QUERY,
    columns: COLUMNS,
    list:
      ({ query, view }) =>
      async ({ limit, page }) => {
        const diffs = diffsOf(deps.service.lake, query, view.at);
        const rows = listChanges(diffs).filter(
          ({ change }) => query.change === undefined || change === query.change,
        );
        return {
          rows: rows.slice((page - 1) * limit, page * limit),
          held: rows.length,
          head: diffs,
        };
      },
    fileName: () => 'diff',
    make: ({ query, view }, shown) => {
      const { from, to } = spanOf(query, view.at);
      return {
        title: 'List changes',
        about: filters(view, query),
        pulledAt: Math.max(0, ...shown.head.map(({ toAt }) => toAt)) || null,
        pulledBy: query.list === 'feed' ? 'feed' : 'trends',
        main: html`<section>${form(view, query)}</section>${listSection(view, shown, {
          heading: 'Changes',
          note: `${minuteOf(from)} to ${minuteOf(to)}`,
          caption: 'Changes of the lists',
          none: 'No list changed between these instants, or none was pulled by then.',
          before: shown.head.length === 0 ? NOTHING : changeTabs(view, shown.head, query.change),
          after: pulls(shown.head),
        })}`,
      };
    },
  });
