import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { refusedParameters } from '../http/problems.ts';
import type { ServiceEnv } from '../request/context.ts';
import { asOf, limit, page } from '../request/parameters.ts';
import { type Column, sortNames } from './data-table.ts';
import { FILE_FORMATS } from './table-files.ts';

/** The parameters of every list that is paged and sorted by its columns. */
export const tableParameters = <Row>(columns: readonly Column<Row>[]) => {
  const names = sortNames(columns);
  return {
    sort: z
      .enum(names, {
        error: `Expected a column, with - before it for the largest first: one of ${names.filter((name) => !name.startsWith('-')).join(', ')}.`,
      })
      .optional(),
    limit,
    page,
  };
};

const fileFormat = z
  .enum(FILE_FORMATS, { error: `Expected one of ${FILE_FORMATS.join(', ')}.` })
  .optional();

const tableName = (names: readonly string[]) =>
  z.enum(names, { error: `Expected one of ${names.join(', ')}.` }).optional();

/** What every page may be asked with; where it has no files the last two are not known. */
const COMMON = z.object({ asOf, format: fileFormat, table: z.string().optional() });

/** Parameters as given, those that say nothing left out. @throws RefusedError for a doubled one */
export const givenOf = (c: Context<ServiceEnv>): Record<string, string> => {
  const given = Object.entries(c.req.queries()).flatMap(([name, values]): [string, string][] => {
    const told = values.filter((value) => value.trim() !== '');
    if (told.length > 1)
      throw refusedParameters('query', [
        { path: [name], message: `Was given ${told.length} times.` },
      ]);
    return told[0] === undefined ? [] : [[name, told[0]]];
  });
  return Object.fromEntries(given); // not by assignment, which loses a `__proto__`
};

const refuseUnknown = (given: object, known: readonly string[]): void => {
  const message = `Is not known here. Known: ${known.join(', ')}.`;
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw refusedParameters(
      'query',
      unknown.map((name) => ({ path: [name], message })),
    );
};

const checked = <S extends z.ZodObject>(
  target: 'param' | 'query',
  schema: S,
  given: object,
): z.infer<S> => {
  const result = schema.safeParse(given);
  if (!result.success) throw refusedParameters(target, result.error.issues);
  return result.data;
};

/** What a page takes: parameters of its own, and names of the tables it has files of. */
interface PageTakes<P extends z.ZodObject, Q extends z.ZodObject> {
  readonly params: P;
  readonly query: Q;
  readonly hasFiles: boolean;
  readonly tables: readonly string[];
}

/** The parameters of one page: its own, its instant and its files. */
export class PageParameters<P extends z.ZodObject, Q extends z.ZodObject> {
  readonly #params: P;
  readonly #query: Q;
  /** Every one there is, so that all that cannot be right is told at once. */
  readonly #all: z.ZodObject;

  constructor({ params, query, hasFiles, tables }: PageTakes<P, Q>) {
    this.#params = params;
    this.#query = query;
    this.#all = z.object({
      ...query.shape,
      asOf,
      ...(hasFiles ? { format: fileFormat } : {}),
      ...(tables.length === 0 ? {} : { table: tableName(tables) }),
    });
  }

  /** @throws RefusedError where one is not known or cannot be right */
  read(path: object, given: object) {
    refuseUnknown(given, Object.keys(this.#all.shape));
    const params = checked('param', this.#params, path);
    checked('query', this.#all, given);
    const query = checked('query', this.#query, given);
    return { params, query, ...checked('query', COMMON, given) };
  }
}
