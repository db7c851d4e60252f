import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { PERIODS } from '../../../schema/vocabulary.ts';
import type { ListDiff, RankedMove, RenamedVideo } from '../../lake/lists/list-diff.ts';
import { dateRange, platformQuery } from '../request/parameters.ts';
import { fileColumn } from './column-kinds.ts';
import { type Column, dataTable, downloadLinks } from './data-table.ts';
import { digits, instantTime, PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { emptyState } from './marks.ts';
import { type PageDeps, type PageRequest, pageRoute, requesterOf } from './page-route.ts';
import { linkHere, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';
import { platformTabs, tabs } from './tabs.ts';
import { videoCell } from './video-columns.ts';

const LISTS = ['feed', ...PERIODS] as const;
const NAMES: Readonly<Record<string, string>> = {
  feed: 'Feed',
  day: 'Trends of the day',
  week: 'Trends of the week',
  month: 'Trends of the month',
};
const SPANS = ['24h', '7d', '30d'];
const SHOWN = 10;

const list = z.enum(LISTS, { error: `Expected one of ${LISTS.join(', ')}.` }).optional();
const span = dateRange('24h');

type Move = RankedMove & Pick<ListDiff, 'list' | 'platform' | 'period'> & { change: string };

const moveColumns = (view: PageView, platform: Platform): Column<RankedMove>[] => [
  { name: 'title', title: 'video', show: (move) => videoCell(view, { ...move, platform }) },
  {
    name: 'previous',
    title: 'was',
    isNumber: true,
    show: ({ previousRank }) => previousRank ?? '–',
  },
  { name: 'rank', title: 'is', isNumber: true, show: ({ rank }) => rank ?? '–' },
];

const movesTable = (
  view: PageView,
  platform: Platform,
  name: string,
  moves: readonly RankedMove[],
): Html =>
  moves.length === 0
    ? NOTHING
    : html`<h3>${name} <span class="soft small">${digits(moves.length)}${moves.length > SHOWN ? `, the first ${SHOWN}` : ''}</span></h3>${dataTable(view, moveColumns(view, platform), moves.slice(0, SHOWN), { caption: name })}`;

const renamedList = (renamed: readonly RenamedVideo[], view: PageView, platform: Platform): Html =>
  renamed.length === 0
    ? NOTHING
    : html`<h3>New titles and handles <span class="soft small">${digits(renamed.length)}</span></h3><ul class="plain">${renamed
        .slice(0, SHOWN)
        .map(
          (video) =>
            html`<li>${videoCell(view, { ...video, platform })}<span class="soft small" dir="auto">was ${video.previousTitle ?? 'without a title'}${video.previousUser === video.user ? '' : `, by ${video.previousUser ?? 'an unknown creator'}`}</span></li>`,
        )}</ul>`;

const nameOf = ({ list: of, period }: ListDiff): string =>
  NAMES[of === 'feed' ? 'feed' : period] ?? period;

const diffSection = (view: PageView, diff: ListDiff): Html => {
  const { platform, entered, left, climbed, fell, renamed, unchanged } = diff;
  return html`<section><h2>${nameOf(diff)} <span class="soft small">${instantTime(diff.fromAt)} to ${instantTime(diff.toAt)}</span></h2>
<p class="soft small">${digits(entered.length)} entered, ${digits(left.length)} left, ${digits(climbed.length)} climbed, ${digits(fell.length)} fell, ${digits(unchanged)} kept their rank.</p>
${movesTable(view, platform, 'Entered', entered)}${movesTable(view, platform, 'Climbed', climbed)}${movesTable(view, platform, 'Fell', fell)}${movesTable(view, platform, 'Left', left)}${renamedList(renamed, view, platform)}</section>`;
};

const FILE_COLUMNS: readonly Column<Move>[] = [
  fileColumn('list', 'UTF8', ({ list: of, period }) => (of === 'feed' ? 'feed' : period)),
  fileColumn('platform', 'UTF8', ({ platform }) => platform),
  fileColumn('change', 'UTF8', ({ change }) => change),
  fileColumn('id', 'UTF8', ({ id }) => id),
  fileColumn('title', 'UTF8', ({ title }) => title),
  fileColumn('user', 'UTF8', ({ user }) => user),
  fileColumn('previous_rank', 'INT64', ({ previousRank }) => previousRank),
  fileColumn('rank', 'INT64', ({ rank }) => rank),
];

const movesOf = ({ list: of, platform, period, ...diff }: ListDiff): Move[] =>
  (['entered', 'left', 'climbed', 'fell'] as const).flatMap((change) =>
    diff[change].map((move) => ({ ...move, list: of, platform, period, change })),
  );

interface Wanted {
  readonly list?: (typeof LISTS)[number] | undefined;
  readonly dateRange: { readonly token: string; readonly windowMs: number };
  readonly platform?: Platform | undefined;
}

/** `/diff`: changes of the pulled lists in a span before the instant of the page. */
export const diffPage = (deps: PageDeps): void => {
  const read = ({ query, view, moment }: PageRequest<object, Wanted>): Promise<ListDiff[]> => {
    const { list: wanted, dateRange: range, platform = 'tiktok' } = query;
    const from = view.at - range.windowMs;
    const of = { from, to: view.at, platform, list: wanted };
    return deps.service.reads.forPage({ name: 'diff', query: of }, requesterOf(moment));
  };
  pageRoute(deps, {
    path: '/diff',
    params: z.object({}),
    query: z.object({ platform: platformQuery, list, dateRange: span }),
    make: async (request) => {
      const { query, view } = request;
      const { platform = 'tiktok', dateRange: range } = query;
      const diffs = await read(request);
      return {
        title: `What changed in ${range.token}`,
        about: html`${platformTabs(view, platform)}${tabs(
          'Since',
          SPANS.map((token) => ({
            name: token === '24h' ? 'since yesterday' : `since ${token} ago`,
            address: linkHere(view, { dateRange: token === '24h' ? undefined : token }),
            isChosen: token === range.token,
          })),
        )}${tabs(
          'List',
          [undefined, ...LISTS].map((name) => ({
            name: name === undefined ? 'all lists' : (NAMES[name] ?? name),
            address: linkHere(view, { list: name }),
            isChosen: name === query.list,
          })),
        )}`,
        pulledAt: Math.max(0, ...diffs.map(({ toAt }) => toAt)) || null,
        windowsMs: [range.windowMs],
        main: html`${diffs.length === 0 ? emptyState(view, `No list of ${PLATFORM_NAMES[platform]} was pulled by then.`) : html`<div class="over"><p class="soft small">Compares the pulls at or before the two instants. A list that was not pulled yet at the start is compared from its first pull on.</p>${downloadLinks(view, { what: 'the changes' })}</div><div class="columns halves">${diffs.map((diff) => diffSection(view, diff))}</div>`}`,
      };
    },
    files: (request) =>
      tableFiles('diff', FILE_COLUMNS, async () => (await read(request)).flatMap(movesOf)),
  });
};
