import Database from 'better-sqlite3';
import { migrate } from '../../lake/migrate.ts';
import { prepare } from '../../lake/prepare.ts';

const readObjects = (sqlite: Database.Database): { name: string; sql: string }[] =>
  prepare(
    sqlite,
    `select type || ' ' || name as name, sql from sqlite_schema where type in ('trigger', 'view')`,
    { name: 'text', sql: 'text' },
  ).all();

const expectedSql = (): Set<string> => {
  const sqlite = new Database(':memory:');
  try {
    migrate(sqlite, ':memory:');
    return new Set(readObjects(sqlite).map(({ sql }) => sql));
  } finally {
    sqlite.close();
  }
};

/** Finds a trigger or view that trendlake did not create: a trigger would run with every write. */
export const foreignObject = (sqlite: Database.Database): string | undefined => {
  const expected = expectedSql();
  return readObjects(sqlite).find(({ sql }) => !expected.has(sql))?.name;
};
