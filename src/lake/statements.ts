import type { Statement } from 'better-sqlite3';
import type { Lake } from './open.ts';
import { type Prepared, prepare, type RowOf, type Shape, type ShapeOf } from './prepare.ts';

/** The prepared statements of one open lake, by their SQL. */
class Statements {
  readonly #lake: Lake;
  readonly #prepared = new Map<string, Statement>();
  readonly #queries = new Map<string, Prepared<unknown>>();

  constructor(lake: Lake) {
    this.#lake = lake;
  }

  of(sql: string): Statement {
    const found = this.#prepared.get(sql) ?? this.#lake.sqlite.prepare(sql);
    this.#prepared.set(sql, found);
    return found;
  }

  query(sql: string, shape: Shape): Prepared<unknown> {
    const found = this.#queries.get(sql) ?? prepare(this.#lake.sqlite, sql, shape);
    this.#queries.set(sql, found);
    return found;
  }
}

/**
 * A statement, prepared once per open lake. `sql` must be one of a fixed set of texts. In a sorted
 * query write `column = +?`: with a bare parameter SQLite (as built, with STAT4) plans the
 * statement again for each value, which costs up to ten times the query itself.
 */
export const statement = (lake: Lake, sql: string): Statement => lake.own(Statements).of(sql);

/**
 * As `prepare`, once for each open lake. `sql` is one of a fixed few texts, as above, each of one shape.
 */
export function prepared<const S extends Shape>(
  lake: Lake,
  sql: string,
  shape: S,
): Prepared<RowOf<S>>;
export function prepared<Row>(lake: Lake, sql: string, shape: ShapeOf<Row>): Prepared<Row>;
export function prepared(lake: Lake, sql: string, shape: Shape): Prepared<unknown> {
  return lake.own(Statements).query(sql, shape);
}
