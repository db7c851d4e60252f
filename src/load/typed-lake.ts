import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import type { Lake } from '../lake/open.ts';

const typed = new WeakMap<Lake, BetterSQLite3Database>();

/**
 * The lake's connection, typed by the schema, for what is written about once a page. Statements that
 * run for every item are SQL of their own: drizzle's take as long again to fill in as SQLite to run.
 * Only what writes uses it: loading drizzle takes a quarter of a second and 150 MB for a moment,
 * which readers and the service do without.
 */
export const typedLake = (lake: Lake): BetterSQLite3Database => {
  const known = typed.get(lake) ?? drizzle(lake.sqlite);
  typed.set(lake, known);
  return known;
};
