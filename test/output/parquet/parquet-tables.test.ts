import { getTableColumns, is } from 'drizzle-orm';
import {
  getTableConfig,
  getViewConfig,
  SQLiteColumn,
  SQLiteTable,
  type SQLiteView,
} from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { events } from '../../../schema/events.ts';
import { forecasts, hashtagForecasts } from '../../../schema/forecast-views.ts';
import {
  creatorSnapshots,
  creators,
  hashtagSnapshots,
  hashtags,
  rankings,
  videoHashtags,
  videoSnapshots,
  videos,
} from '../../../schema/views.ts';
import { PARQUET_TABLES, type ParquetType } from '../../../src/output/parquet/parquet-tables.ts';

const EXPORTED: readonly (SQLiteTable | SQLiteView)[] = [
  videos,
  videoSnapshots,
  rankings,
  hashtags,
  hashtagSnapshots,
  videoHashtags,
  creators,
  creatorSnapshots,
  events,
  forecasts,
  hashtagForecasts,
];

const typeOf = (column: SQLiteColumn): ParquetType => {
  if (column.dataType === 'number' && column.getSQLType() === 'integer')
    return column.name.endsWith('_at') ? 'TIMESTAMP_MILLIS' : 'INT64';
  return column.getSQLType() === 'real' ? 'DOUBLE' : 'UTF8';
};

const columnsOf = (relation: SQLiteTable | SQLiteView): [string, SQLiteColumn[]] => {
  if (is(relation, SQLiteTable))
    return [getTableConfig(relation).name, Object.values(getTableColumns(relation))];
  const { name, selectedFields } = getViewConfig(relation);
  return [name, Object.values(selectedFields).filter((field) => is(field, SQLiteColumn))];
};

test('tables, columns, their order and types are those of the schema', () => {
  const schema = EXPORTED.map(columnsOf).map(([name, columns]) => [
    name,
    columns.map((column) => [column.name, typeOf(column)]),
  ]);
  expect(
    PARQUET_TABLES.map(({ name, columns }) => [name, columns.map((c) => [c.name, c.type])]),
  ).toEqual(schema);
  for (const { columns, key, dateColumn, dividedBy } of PARQUET_TABLES)
    expect(columns.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...key, dateColumn ?? key[0], dividedBy?.column ?? key[0]]),
    );
});
