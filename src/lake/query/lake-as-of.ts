import type Database from 'better-sqlite3';
import { prepare, required } from '../prepare.ts';
import { extraThen } from '../read/content-items.ts';
import { TABLES_THEN, type TableThen } from './tables-as-of.ts';

const viewOf = (
  sqlite: Database.Database,
  name: string,
  { known, columns = {} }: TableThen,
): string => {
  const stored = prepare(sqlite, `select name, type from pragma_table_info(?, 'main')`, [
    'text',
    'text',
  ]).all(name);
  // an expression has no type, and comparisons convert by the type
  const selected = stored.map(([column, type]) => {
    const then = columns[column];
    return then === undefined ? `t."${column}"` : `cast(${then} as ${type}) as "${column}"`;
  });
  return `create temp view "${name}" as select ${selected.join(', ')} from main."${name}" "${name}_then"
    where ${known}`.replaceAll(/\bt\./g, `"${name}_then".`);
};

/** Lifts `query_only` meanwhile: it also refuses temporary views. */
const changeSchema = (sqlite: Database.Database, change: () => void): void => {
  const isQueryOnly = sqlite.pragma('query_only', { simple: true }) === 1;
  if (isQueryOnly) sqlite.pragma('query_only = OFF');
  change();
  if (isQueryOnly) sqlite.pragma('query_only = ON');
};

/**
 * Hides rows that were not known at an instant from a connection: temporary views with the names of the
 * tables, and the public views over these. Works on a read-only connection, once.
 * @param at Unix ms
 */
export const showLakeAsOf = (sqlite: Database.Database, at: number): void => {
  sqlite.function('extra_then', { deterministic: true }, (extra, former) =>
    extraThen({ extra: extra as string | null, former: former as string | null }),
  );
  const tables = Object.entries(TABLES_THEN).map(([name, then]) => viewOf(sqlite, name, then));
  const views = prepare(sqlite, "select sql from main.sqlite_schema where type = 'view'", 'text')
    .all()
    .map((sql) => sql.replace(/^create view/i, 'create temp view'));
  changeSchema(sqlite, () => {
    for (const sql of tables) sqlite.exec(sql.replaceAll('@at', String(at)));
    for (const sql of views) sqlite.exec(sql);
  });
};

/**
 * Makes a question that reads every video compute the figures of each once. Without the limit, SQLite
 * computes a figure again wherever the question or a view names it. Call after `showLakeAsOf`, with SQL
 * that could be prepared.
 */
export const readVideosOnce = (sqlite: Database.Database, sql: string): void => {
  if (!/^\s*(select|with)\b/i.test(sql)) return;
  const plan = prepare(sqlite, `explain query plan ${sql}`, [
    'number',
    'number',
    'number',
    'text',
  ]).all();
  if (!plan.some(([, , , step]) => step.startsWith('SCAN video_then'))) return;
  const view = prepare(sqlite, "select sql from temp.sqlite_schema where name = 'video'", 'text');
  const viewSql = `${required(view.get())} limit -1`;
  changeSchema(sqlite, () =>
    sqlite.exec(`drop view temp.video; ${viewSql.replace(/^create view/i, 'create temp view')}`),
  );
};
