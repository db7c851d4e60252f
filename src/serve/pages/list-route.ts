import type { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Lake } from '../../lake/open.ts';
import {
  type Column,
  dataTable,
  downloadLinks,
  type Listed,
  pagingLinks,
  type ShownList,
  shownList,
  type TableQuery,
  wholeOf,
} from './data-table.ts';
import type { FramedPage } from './frame.ts';
import { type Html, NOTHING } from './html.ts';
import { emptyState } from './marks.ts';
import { type NoParameters, type ParametersOf, tableParameters } from './page-parameters.ts';
import { type PageDefinition, type PageDeps, type PageRequest, pageRoute } from './page-route.ts';
import { linkHere, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';

export interface ListWords {
  readonly heading: string;
  readonly note?: Html | string;
  /** For screen readers. */
  readonly caption: string;
  /** Text shown for an empty list. */
  readonly none: string;
  /** Matching rows, if the list holds fewer. */
  readonly total?: number;
  /** Table of the download links, if not the page's main one. */
  readonly table?: string;
  readonly before?: Html;
  readonly after?: Html;
}

/** Drawing of a list's rows other than as a table. */
export type DrawRows<Row> = (rows: readonly Row[]) => Html;

export const nothingOfTag = (view: PageView, tag: string): Html =>
  html`<p class="empty soft">Nothing in this list belongs to the tag ${tag}. <a href="${linkHere(view, { tag: undefined })}">Show all</a>.</p>`;

/** Section with a sortable table, paging and download links. */
export const listSection = <Row>(
  view: PageView,
  shown: ShownList<Row, unknown>,
  words: ListWords,
  draw?: DrawRows<Row>,
): Html => {
  const { heading, note, caption, none, before = NOTHING, after = NOTHING } = words;
  const { tag } = shown;
  const { total = shown.held, table: tableOf } = tag === undefined ? words : { table: words.table };
  const beside = note === undefined ? NOTHING : html` <span class="soft small">${note}</span>`;
  const { columns, rows, sort } = shown;
  const drawn = draw ?? (() => dataTable(view, columns, rows, { caption, sort, isSortable: true }));
  const table = (): Html => html`${drawn(rows)}${pagingLinks(view, shown)}`;
  return html`<section><div class="over"><h2>${heading}${beside}</h2>${total > 0 ? downloadLinks(view, { table: tableOf }) : NOTHING}</div>
${before}
${total > 0 ? table() : tag === undefined ? emptyState(view, none) : nothingOfTag(view, tag)}
${after}</section>`;
};

/** A list with a tag is filtered among this many rows from its start. */
export const LENS_MOST = 5000;

/** A list with only the rows that `isCovered` accepts. */
const lensed =
  <Row, Head>(
    list: Listed<Row, Head>,
    tag: string,
    isCovered: (row: Row) => boolean,
  ): Listed<Row, Head> =>
  async ({ limit, page }) => {
    const { rows: all, head } = await list({ limit: LENS_MOST, page: 1 });
    const rows = all.filter(isCovered);
    return { rows: rows.slice((page - 1) * limit, page * limit), held: rows.length, head, tag };
  };

type ListRequest<P extends z.ZodRawShape, Q extends z.ZodRawShape> = PageRequest<
  ParametersOf<P>,
  ParametersOf<Q> & TableQuery
>;

/** Page with one main list that is paged, sorted and downloadable. */
export interface ListPageDefinition<P extends z.ZodRawShape, Q extends z.ZodRawShape, Row, Head>
  extends Pick<PageDefinition<P, z.ZodRawShape>, 'path' | 'params' | 'tables'> {
  /** Parameters besides those of the table. */
  readonly query?: Q;
  readonly columns: readonly Column<Row>[];
  /** Names of columns to leave out for this query. */
  readonly without?: (query: ParametersOf<Q>) => readonly string[];
  readonly list: (wanted: ListRequest<P, Q>) => Listed<Row, Head>;
  /** Test of a row against a tag. Without it, the list ignores `tag`. */
  readonly covers?: (lake: Lake, tag: string) => (row: Row) => boolean;
  /** File name without extension. */
  readonly fileName: (wanted: ListRequest<P, Q>) => string;
  /** @throws RefusedError for an unknown subject, shown as an error page */
  readonly make: (
    wanted: ListRequest<P, Q>,
    shown: ShownList<Row, Head>,
  ) => FramedPage | Promise<FramedPage>;
}

/** Serves a list as a page and as files. */
export const listRoute = <
  Row,
  Head,
  P extends z.ZodRawShape = NoParameters,
  Q extends z.ZodRawShape = NoParameters,
>(
  deps: PageDeps,
  definition: ListPageDefinition<P, Q, Row, Head>,
): void => {
  const { path, params, query, tables, columns: all, without, covers, fileName, make } = definition;
  const list = (wanted: ListRequest<P, Q>): Listed<Row, Head> => {
    const { tag } = wanted.view.query;
    const all = definition.list(wanted);
    if (tag === undefined || covers === undefined) return all;
    return lensed(all, tag, covers(deps.service.lake, tag));
  };
  const columnsOf = (query: ParametersOf<Q>): readonly Column<Row>[] => {
    const left = without?.(query) ?? [];
    return all.filter(({ name }) => !left.includes(name));
  };
  pageRoute<P, z.ZodRawShape>(deps, {
    path,
    params,
    query: { ...query, ...tableParameters(all) },
    tables,
    make: async (request) => {
      const wanted = request as ListRequest<P, Q>;
      const columns = columnsOf(wanted.query);
      return make(wanted, await shownList(list(wanted), columns, wanted.query));
    },
    files: (request) => {
      const wanted = request as ListRequest<P, Q>;
      const columns = columnsOf(wanted.query);
      const read = () => wholeOf(list(wanted), columns, wanted.query.sort);
      return tableFiles(fileName(wanted), columns, async () => (await read()).rows);
    },
  });
};
