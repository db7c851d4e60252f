import type Database from 'better-sqlite3';
import { UsageError } from '../base/errors.ts';
import { PLAN_STATISTICS } from './plan-statistics.ts';
import { prepare } from './prepare.ts';

const TABLES = ['meta', 'runs', 'calls', ...new Set(PLAN_STATISTICS.map(([table]) => table))];

/** Schema that no trendlake could have written, in words; undefined if there is none. */
export const strangeSchema = (sqlite: Database.Database): string | undefined => {
  const version = sqlite.pragma('user_version', { simple: true }) as number;
  if (version < 1) return `its schema version is ${version}, which no trendlake writes`;
  const find = `select name from sqlite_schema where type = 'view' and name in (${TABLES.map(() => '?').join(', ')}) limit 1`;
  const name = prepare(sqlite, find, 'text').get(...TABLES);
  return name === undefined
    ? undefined
    : `${name} is a view where a lake has a table, so somebody changed the file`;
};

/** @throws UsageError for a lake that another program changed */
export const refuseStrangeSchema = (sqlite: Database.Database, path: string): void => {
  const strange = strangeSchema(sqlite);
  if (strange === undefined) return;
  throw new UsageError(
    `${path} is not a lake that trendlake can use: ${strange}. It was left as it is. Restore a backup, or move the file away.`,
  );
};
