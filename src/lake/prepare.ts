import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';

// A row from SQLite has the columns of its SQL. Here alone it gets a type, and one that does
// not fit the statement is an error when it is prepared, not a wrong number later.

type Value = number | string | Buffer | null;

/** Type of a column; with `?` also null. `platforms`: a platform, or '' for all. `any`: any value. */
export type Kind = keyof Kinds;

/** Type of a row: an object, a tuple, or the value of its only column. */
export type Shape = Readonly<Record<string, Kind>> | readonly Kind[] | Kind;

interface Kinds {
  number: number;
  text: string;
  platform: Platform;
  platforms: Platform | '';
  blob: Buffer;
  'number?': number | null;
  'text?': string | null;
  'blob?': Buffer | null;
  any: unknown;
}

/** The row that a shape stands for. */
export type RowOf<S extends Shape> = S extends Kind
  ? Kinds[S]
  : { -readonly [Name in keyof S]: S[Name] extends Kind ? Kinds[S[Name]] : never };

type KindOf<T> = unknown extends T
  ? 'any'
  : null extends T
    ? `${NotNullKindOf<NonNullable<T>>}?`
    : NotNullKindOf<NonNullable<T>>;
type NotNullKindOf<T> = [T] extends [number] ? 'number' : [T] extends [string] ? 'text' : 'blob';

/** The shape that a row's type has to be prepared with. */
export type ShapeOf<Row> = [Row] extends [Value]
  ? KindOf<Row>
  : { readonly [Name in keyof Row]-?: KindOf<Row[Name]> };

/** A statement with rows of the given shape. Parameters are not typed. */
export type Prepared<Row> = Statement<unknown[], Row>;

const DECLARED: Readonly<Record<string, string>> = {
  integer: 'number',
  real: 'number',
  text: 'text',
  blob: 'blob',
};

const isList = (shape: Shape): shape is readonly Kind[] => Array.isArray(shape);

const kindsOf = (shape: Shape): readonly (readonly [name: string | undefined, kind: Kind])[] => {
  if (typeof shape === 'string') return [[undefined, shape]];
  return isList(shape) ? shape.map((kind) => [undefined, kind] as const) : Object.entries(shape);
};

/**
 * Explains why the rows of a statement do not fit a shape; undefined if they fit, as far as SQLite
 * knows.
 */
const mismatch = (statement: Statement, shape: Shape): string | undefined => {
  const columns = statement.columns();
  const kinds = kindsOf(shape);
  if (columns.length !== kinds.length)
    return `it gives ${columns.length} columns (${columns.map(({ name }) => name).join(', ')}), its type has ${kinds.length}`;
  const byName = new Map(columns.map((column) => [column.name, column]));
  for (const [index, [name, kind]] of kinds.entries()) {
    const column = name === undefined ? columns[index] : byName.get(name);
    if (column === undefined) return `it gives no column ${name}`;
    const declared = DECLARED[column.type?.toLowerCase() ?? '']; // what is computed has no declared type
    const wanted = kind.replace('?', '').replace(/^platforms?$/, 'text');
    if (declared !== undefined && kind !== 'any' && declared !== wanted)
      return `its column ${column.name} is ${declared}, its type says ${kind}`;
  }
  return undefined;
};

/**
 * Prepares a query whose rows have a type: of the columns in `shape` as an object, as a tuple where it
 * is a list, or the bare value of one column where it is a single kind. Give `Row` where the columns
 * hold less than any text or number; the compiler then holds `shape` against it.
 *
 * @throws Error where the statement's columns are not those of the shape, in name, number or, where the
 *   schema declares one, in type. SQLite does not report nulls: `?` is the author's claim.
 */
export function prepare<const S extends Shape>(
  sqlite: Database.Database,
  sql: string,
  shape: S,
): Prepared<RowOf<S>>;
export function prepare<Row>(
  sqlite: Database.Database,
  sql: string,
  shape: ShapeOf<Row>,
): Prepared<Row>;
export function prepare(sqlite: Database.Database, sql: string, shape: Shape): Prepared<unknown> {
  const statement = sqlite.prepare(sql);
  const problem = mismatch(statement, shape);
  if (problem !== undefined)
    throw new Error(`A statement is not what its type says: ${problem}: ${sql}`);
  if (typeof shape === 'string') return statement.pluck();
  return isList(shape) ? statement.raw() : statement;
}

/** The row of a query that always has one, such as a count. */
export const required = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error('A query that always gives a row gave none.');
  return row;
};
