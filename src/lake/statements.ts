import type { Statement } from 'better-sqlite3';
import type { Lake } from './open.ts';
import { type Prepared, prepare, type RowOf, type Shape, type ShapeOf } from './prepare.ts';

/** The prepared statements of one open lake, by their SQL. */
class Statements {
  readonly plain = new Map<string, Statement>();
  readonly shaped = new Map<string, Prepared<unknown>>();
}

/**
 * A statement, prepared once per open lake. `sql` must be one of a fixed set of texts. In a sorted
 * query write `column = +?`: with a bare parameter SQLite (as built, with STAT4) plans the
 * statement again for each value, which costs up to ten times the query itself.
 */
export const statement = (lake: Lake, sql: string): Statement => {
  const { plain } = lake.own(Statements);
  const found = plain.get(sql) ?? lake.sqlite.prepare(sql);
  plain.set(sql, found);
  return found;
};

/**
 * As `prepare`, once per open lake. `sql` must be one of a fixed set of texts, each with one shape.
 */
export function prepared<const S extends Shape>(
  lake: Lake,
  sql: string,
  shape: S,
): Prepared<RowOf<S>>;
export function prepared<Row>(lake: Lake, sql: string, shape: ShapeOf<Row>): Prepared<Row>;
export function prepared(lake: Lake, sql: string, shape: Shape): Prepared<unknown> {
  const { shaped } = lake.own(Statements);
  const found = shaped.get(sql) ?? prepare(lake.sqlite, sql, shape);
  shaped.set(sql, found);
  return found;
}

/**
 * Reads one state of the lake, even if another process commits meanwhile, and saves each statement its
 * own locks. After its first await, `read` is no longer part of it.
 */
export const oneReading = <T>(lake: Lake, read: () => T): T => {
  if (lake.sqlite.inTransaction) return read();
  statement(lake, 'begin').run();
  try {
    return read();
  } finally {
    if (lake.sqlite.inTransaction) statement(lake, 'commit').run();
  }
};
