import { html, raw } from 'hono/html';
import type { Paging } from '../../lake/lists/list-page.ts';
import type { ParquetType } from '../../output/parquet/parquet-tables.ts';
import { count, digits, sinceText } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { linkHere, type PageView } from './page-view.ts';

/** Value of a field in a downloaded file; instants are Unix ms. */
export type FieldValue = string | number | null;

/**
 * One column of a table. `show` renders it on the page (`rows`: all shown rows). `field` is its value in
 * CSV, Parquet and sorting. A column may have only one of the two.
 */
export interface Column<Row> {
  /** Name in addresses and files, same as in the lake's views. */
  readonly name: string;
  readonly title: string;
  readonly show?: (row: Row, view: PageView, rows: readonly Row[]) => Html | string | number;
  readonly field?: { readonly type: ParquetType; readonly of: (row: Row) => FieldValue };
  /** Aligned to the right. */
  readonly isNumber?: boolean;
  /** Hidden on narrow screens: `phone` under 560 px, `tablet` under 940 px. */
  readonly hide?: 'phone' | 'tablet';
}

/**
 * Part of a list. `held`: rows that paging can reach. `head`: other data of its source. `tag`: the list
 * has only rows of this tag.
 */
export interface ReadPart<Row, Head> {
  readonly rows: readonly Row[];
  readonly held: number;
  readonly head: Head;
  readonly tag?: string | undefined;
}

export type Listed<Row, Head> = (paging: Paging) => Promise<ReadPart<Row, Head>>;

/** Requested part of a table. `sort` is a column name, with `-` before it for descending. */
export interface TableQuery extends Paging {
  readonly sort?: string | undefined;
}

export interface ShownList<Row, Head> extends TableQuery, ReadPart<Row, Head> {
  readonly columns: readonly Column<Row>[];
  /** Number of rows that were sorted. Undefined: original order. */
  readonly sorted: number | undefined;
}

/** Sorting and files cover this many rows from the start of a list. */
const WHOLE_MOST = 1000;

const compareFields = (a: FieldValue, b: FieldValue): number =>
  typeof a === 'string' && typeof b === 'string' ? a.localeCompare(b, 'en') : Number(a) - Number(b);

/** Stable sort by one column, unknown values last. */
const sortedBy = <Row>(
  rows: readonly Row[],
  { of }: NonNullable<Column<Row>['field']>,
  isDown: boolean,
): Row[] =>
  rows.toSorted((a, b) => {
    const [left, right] = [of(a), of(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return isDown ? compareFields(right, left) : compareFields(left, right);
  });

/** Hides all columns except the named ones on the page. Files keep all columns. */
export const showing = <Row>(
  columns: readonly Column<Row>[],
  names: readonly string[],
): Column<Row>[] =>
  columns.map((column) => {
    const { show: _, ...unshown } = column;
    return names.includes(column.name) ? column : unshown;
  });

/** Valid values of `sort`. */
export const sortNames = <Row>(columns: readonly Column<Row>[]): string[] =>
  columns
    .filter(({ show, field }) => show !== undefined && field !== undefined)
    .flatMap(({ name }) => [name, `-${name}`]);

/** First `WHOLE_MOST` rows of a list in the requested order. */
export const wholeOf = async <Row, Head>(
  list: Listed<Row, Head>,
  columns: readonly Column<Row>[],
  sort: string | undefined,
): Promise<ReadPart<Row, Head>> => {
  const read = await list({ limit: WHOLE_MOST, page: 1 });
  const field = columns.find(({ name }) => name === sort?.replace(/^-/, ''))?.field;
  if (field === undefined) return read;
  return { ...read, rows: sortedBy(read.rows, field, sort?.startsWith('-') === true) };
};

/** One page of a list. Sorting covers the first `WHOLE_MOST` rows. */
export const shownList = async <Row, Head>(
  list: Listed<Row, Head>,
  columns: readonly Column<Row>[],
  { sort, limit, page }: TableQuery,
): Promise<ShownList<Row, Head>> => {
  const query = { columns, sort, limit, page };
  if (sort === undefined) return { ...query, ...(await list({ limit, page })), sorted: undefined };
  const { rows: all, head, tag } = await wholeOf(list, columns, sort);
  const rows = all.slice((page - 1) * limit, page * limit);
  return { ...query, rows, head, tag, held: all.length, sorted: all.length };
};

const classesOf = ({ isNumber, hide }: Pick<Column<never>, 'isNumber' | 'hide'>): string =>
  [isNumber === true ? 'n' : '', hide === undefined ? '' : `no-${hide}`].join(' ').trim();

/** Column head with a link that sorts by it, or reverses the order. */
const head = <Row>(
  view: PageView,
  column: Column<Row>,
  { sort, isSortable }: { sort: string | undefined; isSortable: boolean },
): Html => {
  const { name, title, field, isNumber } = column;
  if (field === undefined || !isSortable)
    return html`<th scope="col" class="${classesOf(column)}">${title}</th>`;
  const [up, down] = [name, `-${name}`];
  const first = isNumber === true ? down : up;
  const other = first === up ? down : up;
  const next = sort === first ? other : first;
  const state = sort === up ? 'ascending' : sort === down ? 'descending' : undefined;
  const sign = state === undefined ? '' : state === 'ascending' ? ' ↑' : ' ↓';
  return html`<th scope="col" class="${classesOf(column)}"${state === undefined ? '' : raw(` aria-sort="${state}"`)}><a href="${linkHere(view, { sort: next })}">${title}<span aria-hidden="true">${sign}</span></a></th>`;
};

export const dataTable = <Row>(
  view: PageView,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  {
    caption,
    sort,
    isSortable = false,
    hasLinks = true,
  }: {
    readonly caption: string;
    readonly sort?: string | undefined;
    readonly isSortable?: boolean;
    /** A table without links is scrolled with the keyboard once it has the focus. */
    readonly hasLinks?: boolean;
  },
): Html => {
  const shown = columns.filter(({ show }) => show !== undefined);
  const heads = shown.map((column) => head(view, column, { sort, isSortable }));
  const focusable = hasLinks ? NOTHING : html` tabindex="0" role="region" aria-label="${caption}"`;
  return html`<div class="scroll"${focusable}><table class="data"><caption class="unseen">${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${shown.map(
        (column) =>
          html`<td class="${classesOf(column)}">${column.show?.(row, view, rows) ?? ''}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
};

interface ShownPage extends Paging {
  readonly held: number;
  readonly sorted?: number | undefined;
  readonly rows: readonly unknown[];
}

/** Position in a list, with links to its other pages. */
export const pagingLinks = (
  view: PageView,
  { page, limit, held, sorted, rows }: ShownPage,
): Html => {
  const last = Math.max(1, Math.ceil(held / limit));
  const to = (name: string, wanted: number, isOn: boolean): Html =>
    isOn
      ? html`<a href="${linkHere(view, { page: wanted === 1 ? undefined : wanted })}">${name}</a>`
      : html`<span class="off" aria-hidden="true">${name}</span>`;
  const from = (page - 1) * limit + 1;
  const span =
    rows.length === 0
      ? `no rows on page ${digits(page)} of ${digits(last)}`
      : `${digits(from)} to ${digits(from + rows.length - 1)} of ${digits(held)}`;
  const cut = sorted === WHOLE_MOST ? ` · sorted among the first ${digits(WHOLE_MOST)}` : '';
  const away =
    sorted === undefined
      ? NOTHING
      : html` · <a href="${linkHere(view, { sort: undefined })}">original order</a>`;
  return html`<nav class="paging small" aria-label="Pages of the list"><span class="soft">${span}${cut}${away}</span>${
    last === 1 && page === 1
      ? NOTHING
      : html`<span class="steps">${to('first', 1, page > 1)}${to('previous', Math.min(page - 1, last), page > 1)}<span aria-current="page">${digits(page)} / ${digits(last)}</span>${to('next', page + 1, page < last)}${to('last', last, page < last)}</span>`
  }</nav>`;
};

/** Download links. `table` names one of several tables of the page. */
export const downloadLinks = (
  view: PageView,
  {
    what = `The list as shown, at most the first ${digits(WHOLE_MOST)} rows`,
    table,
  }: { readonly what?: string; readonly table?: string | undefined } = {},
): Html => {
  const link = (format: string, name: string): Html =>
    html`<a href="${linkHere(view, { format, table })}" title="${what}" download>${name}</a>`;
  return html`<span class="files small">${link('csv', 'CSV')}${link('parquet', 'Parquet')}</span>`;
};

/** Row with its rank in the list, from 1. */
export type Ranked<Row> = Row & { readonly rank: number };

export const ranked = <Row>(rows: readonly Row[], { page, limit }: Paging): Ranked<Row>[] =>
  rows.map((row, index) => ({ ...row, rank: (page - 1) * limit + index + 1 }));

/** Rank column, empty for lists without an order. */
export const rankColumn = <Row>(of: (row: Row) => number | null | undefined): Column<Row> => ({
  name: 'rank',
  title: '#',
  isNumber: true,
  show: (row) => html`<span class="soft">${of(row) ?? ''}</span>`,
  field: { type: 'INT64', of: (row) => of(row) ?? null },
});

interface Named<Row, Value> extends Pick<Column<Row>, 'name' | 'title' | 'hide'> {
  readonly of: (row: Row) => Value;
}

/** A count, short on the page and exact in files. */
export const countColumn = <Row>({ of, ...column }: Named<Row, number | null>): Column<Row> => ({
  ...column,
  isNumber: true,
  show: (row) => count(of(row)),
  field: { type: 'INT64', of },
});

/** Instant (Unix ms), on the page as an age. */
export const instantColumn = <Row>({ of, ...column }: Named<Row, number | null>): Column<Row> => ({
  ...column,
  isNumber: true,
  show: (row, view) => {
    const at = of(row);
    return at === null ? html`<span class="soft">–</span>` : sinceText(at, view.at);
  },
  field: { type: 'TIMESTAMP_MILLIS', of },
});

/** Column for files only. */
export const fileColumn = <Row>(
  name: string,
  type: ParquetType,
  of: (row: Row) => FieldValue,
): Column<Row> => ({ name, title: name, field: { type, of } });

/** Text column for files only. */
export const textInFiles = <Row>(name: string, of: (row: Row) => string | null): Column<Row> =>
  fileColumn(name, 'UTF8', of);
