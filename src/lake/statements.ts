import type { Statement } from 'better-sqlite3';
import type { Lake } from './open.ts';

/** The prepared statements of one open lake, by their SQL. */
class Statements {
  readonly #lake: Lake;
  readonly #prepared = new Map<string, Statement>();

  constructor(lake: Lake) {
    this.#lake = lake;
  }

  of(sql: string): Statement {
    const found = this.#prepared.get(sql) ?? this.#lake.sqlite.prepare(sql);
    this.#prepared.set(sql, found);
    return found;
  }
}

/**
 * A statement of `sql`, prepared once for each open lake. `sql` must be one of a fixed few texts.
 *
 * In a sorted query write `column = +?`: a bare parameter there has SQLite (as built, with STAT4) plan
 * the statement anew for each value, which costs up to ten times what running it does.
 */
export const statement = (lake: Lake, sql: string): Statement => lake.own(Statements).of(sql);
