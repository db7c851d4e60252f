import type { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import {
  type Column,
  dataTable,
  downloadLinks,
  type Listed,
  pagingLinks,
  type ShownPart,
  shownPart,
  type TableQuery,
  wholeOf,
} from './data-table.ts';
import { type Html, NOTHING } from './html.ts';
import { emptyState } from './marks.ts';
import {
  type MadeContent,
  type PageDefinition,
  type PageDeps,
  type PageRequest,
  pageRoute,
} from './page-route.ts';
import type { PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';

/** A list as a page shows it: its part, its columns, and how it was asked for. */
export interface ShownList<Row, Head> extends ShownPart<Row, Head> {
  readonly columns: readonly Column<Row>[];
}

/** What a list is told as. */
export interface ListWords {
  /** Over it, and in small letters behind that. */
  readonly heading: string;
  readonly note?: Html | string;
  /** What the table is, for who cannot see where it stands. */
  readonly caption: string;
  /** What is told where it has no rows. */
  readonly none: string;
  /** So many match, where the list holds fewer of them; else as many as it holds. */
  readonly total?: number;
  /** The page's table that its files are of, where they are not those of the page. */
  readonly table?: string;
  /** Between heading and table, and after it. */
  readonly before?: Html;
  readonly after?: Html;
}

/** A list under its heading: its table with links to sort it, to its pages and to its files. */
export const listSection = <Row>(
  view: PageView,
  shown: ShownList<Row, unknown>,
  words: ListWords,
): Html => {
  const { heading, note, caption, none, before = NOTHING, after = NOTHING } = words;
  const { total = shown.held, table: tableOf } = words;
  const beside = note === undefined ? NOTHING : html` <span class="soft small">${note}</span>`;
  const { columns, rows, sort } = shown;
  const table = (): Html =>
    html`${dataTable(view, columns, rows, { caption, sort })}${pagingLinks(view, shown)}`;
  return html`<section><div class="over"><h2>${heading}${beside}</h2>${total > 0 ? downloadLinks(view, { table: tableOf }) : NOTHING}</div>
${before}
${total === 0 ? emptyState(view, none) : table()}
${after}</section>`;
};

/** Parameters among which are those of a table (`tableParameters`). */
type ListParameters = z.ZodObject & z.ZodType<TableQuery>;

/** A page whose main thing is one list, which is paged, sorted by its columns, and had as files. */
export interface ListPageDefinition<P extends z.ZodObject, Q extends ListParameters, Row, Head>
  extends Pick<PageDefinition<P, Q>, 'path' | 'params' | 'query' | 'tables'> {
  readonly columns: readonly Column<Row>[];
  /** Names of the columns that say nothing where the page is asked for so. */
  readonly without?: (query: z.infer<Q>) => readonly string[];
  readonly list: (wanted: PageRequest<z.infer<P>, z.infer<Q>>) => Listed<Row, Head>;
  /** Of its files, without their ending. */
  readonly fileName: (wanted: PageRequest<z.infer<P>, z.infer<Q>>) => string;
  /** @throws RefusedError for what is not known: answered by a page that says so */
  readonly make: (
    wanted: PageRequest<z.infer<P>, z.infer<Q>>,
    shown: ShownList<Row, Head>,
  ) => MadeContent | Promise<MadeContent>;
}

/** The list as asked for, with the columns it is shown in. */
export const shownList = async <Row, Head>(
  list: Listed<Row, Head>,
  columns: readonly Column<Row>[],
  query: TableQuery,
): Promise<ShownList<Row, Head>> => ({ ...(await shownPart(list, columns, query)), columns });

/** Serves a page of a list, and the list as files. */
export const listRoute = <P extends z.ZodObject, Q extends ListParameters, Row, Head>(
  deps: PageDeps,
  definition: ListPageDefinition<P, Q, Row, Head>,
): void => {
  const { path, params, query, tables, columns: all, without, list, fileName, make } = definition;
  const columnsOf = (query: z.infer<Q>): readonly Column<Row>[] => {
    const left = without?.(query) ?? [];
    return all.filter(({ name }) => !left.includes(name));
  };
  pageRoute(deps, {
    path,
    params,
    query,
    ...(tables === undefined ? {} : { tables }),
    make: async (wanted) =>
      make(wanted, await shownList(list(wanted), columnsOf(wanted.query), wanted.query)),
    files: (wanted) => {
      const columns = columnsOf(wanted.query);
      return tableFiles(fileName(wanted), columns, async () => {
        return (await wholeOf(list(wanted), columns, wanted.query.sort)).rows;
      });
    },
  });
};
