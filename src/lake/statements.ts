import type { Statement } from 'better-sqlite3';
import type { Lake } from './open.ts';

const prepared = new WeakMap<Lake, Map<string, Statement>>();

/**
 * A statement of `sql`, prepared once for each open lake. `sql` must be one of a fixed few texts.
 *
 * In a sorted query write `column = +?`: a bare parameter there has SQLite (as built, with STAT4) plan
 * the statement anew for each value, which costs up to ten times what running it does.
 */
export const statement = (lake: Lake, sql: string): Statement => {
  const ofLake = prepared.get(lake) ?? new Map<string, Statement>();
  prepared.set(lake, ofLake);
  const found = ofLake.get(sql) ?? lake.sqlite.prepare(sql);
  ofLake.set(sql, found);
  return found;
};
