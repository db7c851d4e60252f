import Database from 'better-sqlite3';
import { migrate } from '../../lake/migrate.ts';
import { prepare } from '../../lake/prepare.ts';

const readObjects = (sqlite: Database.Database): { name: string; sql: string }[] =>
  prepare(
    sqlite,
    `select type || ' ' || name as name, sql from sqlite_schema where type in ('trigger', 'view')`,
    { name: 'text', sql: 'text' },
  ).all();

/** SQL of the triggers and views of a new lake. */
const ownSql = (): Set<string> => {
  const sqlite = new Database(':memory:');
  try {
    migrate(sqlite, ':memory:');
    return new Set(readObjects(sqlite).map(({ sql }) => sql));
  } finally {
    sqlite.close();
  }
};

/**
 * Names a trigger or view of a lake of the current schema that trendlake did not make: it would run
 * with every write. Undefined if there is none.
 */
export const foreignObject = (sqlite: Database.Database): string | undefined => {
  const own = ownSql();
  return readObjects(sqlite).find(({ sql }) => !own.has(sql))?.name;
};
