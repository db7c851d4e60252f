import {
  BIGINT,
  DATE,
  DOUBLE,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampMillisecondsValue,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMP_MS,
  VARCHAR,
} from '@duckdb/node-api';
import type { Lake } from '../../src/lake/open.ts';
import {
  PARQUET_TABLES,
  type ParquetColumn,
  type ParquetTable,
  type ParquetType,
} from '../../src/output/parquet/parquet-tables.ts';

// The usual alternative: DuckDB fed from the same lake by its data chunks, which is its
// fastest way in, then COPY with zstd into the same layout.

const CHUNK_ROWS = 2048;
const TYPES: Record<ParquetType, { duckdb: DuckDBType; sql: string }> = {
  INT64: { duckdb: BIGINT, sql: 'bigint' },
  TIMESTAMP_MILLIS: { duckdb: TIMESTAMP_MS, sql: 'timestamp_ms' },
  DOUBLE: { duckdb: DOUBLE, sql: 'double' },
  UTF8: { duckdb: VARCHAR, sql: 'varchar' },
  DATE: { duckdb: DATE, sql: 'date' },
};

const asDuckdb = ({ type }: ParquetColumn, value: unknown): DuckDBValue => {
  if (typeof value === 'string' || value === null) return value;
  if (typeof value !== 'number') throw new Error(`no value of a lake: ${typeof value}`);
  if (type === 'INT64') return BigInt(value);
  return type === 'DOUBLE' ? value : new DuckDBTimestampMillisecondsValue(BigInt(value));
};

const appendRows = (
  lake: Lake,
  { name, columns, key }: ParquetTable,
  appender: DuckDBAppender,
): void => {
  const types = columns.map(({ type }) => TYPES[type].duckdb);
  let gathered: DuckDBValue[][] = columns.map(() => []);
  const flush = (): void => {
    const rows = gathered[0]?.length ?? 0;
    if (rows === 0) return;
    const chunk = DuckDBDataChunk.create(types, rows);
    chunk.setColumns(gathered);
    appender.appendDataChunk(chunk);
    gathered = columns.map(() => []);
  };
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const rows = lake.sqlite.prepare(`select ${names} from ${name} order by ${key.join(', ')}`).raw();
  for (const row of rows.iterate() as IterableIterator<unknown[]>) {
    columns.forEach((column, index) => {
      gathered[index]?.push(asDuckdb(column, row[index]));
    });
    if (gathered[0]?.length === CHUNK_ROWS) flush();
  }
  flush();
  appender.closeSync();
};

const copy = (connection: DuckDBConnection, { name, dateColumn }: ParquetTable, folder: string) =>
  connection.run(
    dateColumn === undefined
      ? `copy ${name} to '${folder}/${name}.parquet' (format parquet, compression zstd)`
      : `copy (select *, strftime("${dateColumn}", '%Y-%m-%d') as date from ${name}) to '${folder}/${name}' (format parquet, compression zstd, partition_by (date))`,
  );

/** Writes every table of a lake that holds rows. */
export const exportByDuckdb = async (lake: Lake, folder: string): Promise<void> => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  for (const table of PARQUET_TABLES) {
    if (lake.sqlite.prepare(`select 1 from ${table.name} limit 1`).get() === undefined) continue;
    const columns = table.columns.map((c) => `"${c.name}" ${TYPES[c.type].sql}`).join(', ');
    await connection.run(`create table ${table.name} (${columns})`);
    appendRows(lake, table, await connection.createAppender(table.name));
    await copy(connection, table, folder);
  }
};
