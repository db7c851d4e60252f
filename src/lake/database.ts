import Database from 'better-sqlite3';

/** Opens a SQLite file, which `using` closes. */
export const openDatabase = (
  path: string,
  options: Database.Options = {},
): Database.Database & Disposable => {
  const sqlite = new Database(path, options);
  return Object.assign(sqlite, { [Symbol.dispose]: () => void sqlite.close() });
};
