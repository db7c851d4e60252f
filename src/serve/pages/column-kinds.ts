import { html } from 'hono/html';
import type { Paging } from '../../lake/lists/list-page.ts';
import type { ParquetType } from '../../output/parquet/parquet-tables.ts';
import type { Column, FieldValue } from './data-table.ts';
import { count, sinceText } from './figures.ts';

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
