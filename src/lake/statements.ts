import type { Statement } from 'better-sqlite3';
import type { Lake } from './open.ts';

const prepared = new WeakMap<Lake, Map<string, Statement>>();

/** A statement of `sql`, prepared once for each open lake. `sql` must be one of a fixed few texts. */
export const statement = (lake: Lake, sql: string): Statement => {
  const ofLake = prepared.get(lake) ?? new Map<string, Statement>();
  prepared.set(lake, ofLake);
  const found = ofLake.get(sql) ?? lake.sqlite.prepare(sql);
  ofLake.set(sql, found);
  return found;
};
