import { getTableColumns, is } from 'drizzle-orm';
import {
  getTableConfig,
  getViewConfig,
  SQLiteColumn,
  type SQLiteTable,
  type SQLiteView,
  SQLiteTable as Table,
} from 'drizzle-orm/sqlite-core';
import { events } from '../../schema/events.ts';
import {
  creatorSnapshots,
  creators,
  forecasts,
  hashtagSnapshots,
  hashtags,
  rankings,
  videoHashtags,
  videoSnapshots,
  videos,
} from '../../schema/views.ts';

export type ParquetType = 'INT64' | 'TIMESTAMP_MILLIS' | 'DOUBLE' | 'UTF8';

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
  /** False for the columns of the key. */
  readonly optional: boolean;
}

/** One table as it appears in Parquet. */
export interface ParquetTable {
  readonly name: string;
  readonly columns: readonly ParquetColumn[];
  /** Columns that tell rows apart; rows of a file are sorted by them. */
  readonly key: readonly string[];
  /** The time whose UTC day names a row's partition; undefined: one file for the whole table. */
  readonly dateColumn: string | undefined;
}

const typeOf = (column: SQLiteColumn): ParquetType => {
  if (column.dataType === 'number' && column.getSQLType() === 'integer')
    return column.name.endsWith('_at') ? 'TIMESTAMP_MILLIS' : 'INT64';
  if (column.getSQLType() === 'real') return 'DOUBLE';
  return 'UTF8';
};

const columnsOf = (relation: SQLiteTable | SQLiteView): [string, SQLiteColumn[]] => {
  if (is(relation, Table))
    return [getTableConfig(relation).name, Object.values(getTableColumns(relation))];
  const { name, selectedFields } = getViewConfig(relation);
  return [name, Object.values(selectedFields).filter((field) => is(field, SQLiteColumn))];
};

/** A relation of the schema with what only Parquet needs to know: its key and its date. */
const parquetTable = (
  relation: SQLiteTable | SQLiteView,
  key: readonly string[],
  dateColumn?: string,
): ParquetTable => {
  const [name, columns] = columnsOf(relation);
  return {
    name,
    key,
    dateColumn,
    columns: columns.map((column) => ({
      name: column.name,
      type: typeOf(column),
      optional: !key.includes(column.name),
    })),
  };
};

/** Every exported table. Names, order and types of columns are those of the schema. */
export const PARQUET_TABLES: readonly ParquetTable[] = [
  parquetTable(videos, ['id']),
  parquetTable(videoSnapshots, ['video_id', 'observed_at'], 'observed_at'),
  parquetTable(rankings, ['list', 'platform', 'period', 'captured_at', 'rank'], 'captured_at'),
  parquetTable(hashtags, ['tag']),
  parquetTable(hashtagSnapshots, ['tag', 'platform', 'observed_at'], 'observed_at'),
  parquetTable(videoHashtags, ['video_id', 'tag']),
  parquetTable(creators, ['platform', 'handle']),
  parquetTable(creatorSnapshots, ['platform', 'handle', 'observed_at'], 'observed_at'),
  parquetTable(events, ['id'], 'occurred_at'),
  parquetTable(forecasts, ['video_id', 'made_at', 'horizon_hours'], 'made_at'),
];
