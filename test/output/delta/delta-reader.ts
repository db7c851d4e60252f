import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

// A reader of Delta tables that knows nothing of src/output/delta: the log by the protocol's words, the
// files by DuckDB.

interface LogFile {
  path: string;
  partitionValues: Record<string, string | null>;
  stats?: string | null;
}

/** A Delta table as its log has it at one version. */
export interface DeltaTable {
  folder: string;
  version: number;
  schema: { name: string; type: string }[];
  partitionColumns: string[];
  files: Map<string, LogFile>;
  txns: Map<string, number>;
}

type LogAction = Record<string, Record<string, unknown> | null | undefined>;

const rowsOfParquet = async (path: string): Promise<LogAction[]> => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const read = await connection.runAndReadAll(
    `select to_json(t)::varchar from read_parquet('${path}') t`,
  );
  return read.getRows().map(([row]) => JSON.parse(String(row)) as LogAction);
};

/** Reads a table's log, from its newest checkpoint on where there is one. @throws when it has a gap */
export const readDeltaLog = async (folder: string): Promise<DeltaTable> => {
  const log = join(folder, '_delta_log');
  const names = readdirSync(log).sort();
  const versionsOf = (ending: string): number[] =>
    names.filter((name) => name.endsWith(ending)).map((name) => Number(name.slice(0, 20)));
  const file = (version: number, ending: string): string =>
    join(log, `${String(version).padStart(20, '0')}${ending}`);
  const checkpoint = versionsOf('.checkpoint.parquet').at(-1) ?? -1;
  const actions =
    checkpoint < 0 ? [] : await rowsOfParquet(file(checkpoint, '.checkpoint.parquet'));
  let version = checkpoint;
  for (const next of versionsOf('.json').filter((one) => one > checkpoint)) {
    if (next !== version + 1) throw new Error(`${folder}: commit ${version + 1} is missing`);
    const lines = readFileSync(file(next, '.json'), 'utf8').trim().split('\n');
    actions.push(...lines.map((line) => JSON.parse(line) as LogAction));
    version = next;
  }
  const files = new Map<string, LogFile>();
  const txns = new Map<string, number>();
  let metaData: Record<string, unknown> = {};
  for (const { add, remove, txn, metaData: described } of actions) {
    if (add) files.set(String(add.path), add as unknown as LogFile);
    if (remove) files.delete(String(remove.path));
    if (txn) txns.set(String(txn.appId), Number(txn.version));
    if (described) metaData = described;
  }
  const { fields } = JSON.parse(String(metaData.schemaString)) as {
    fields: DeltaTable['schema'];
  };
  const partitionColumns = metaData.partitionColumns as string[];
  return { folder, version, schema: fields, partitionColumns, files, txns };
};

/** Rows of a query over a table; the view `t` holds its rows, partition columns included. */
export const queryTable = async (table: DeltaTable, sql: string): Promise<DuckDBValue[][]> => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run("set TimeZone = 'UTC'");
  const parts = [...table.files.values()].map(({ path, partitionValues }) => {
    const values = Object.entries(partitionValues).map(
      ([name, value]) => `'${value}'::${name === 'date' ? 'date' : 'varchar'} as "${name}"`,
    );
    return `select *, ${values.join(', ')} from read_parquet('${join(table.folder, path)}', hive_partitioning = false)`;
  });
  await connection.run(`create view t as ${parts.join(' union all by name ')}`);
  return (await connection.runAndReadAll(sql)).getRows();
};
