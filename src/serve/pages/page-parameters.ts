import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { refusedParameters } from '../http/problems.ts';
import type { ServiceEnv } from '../request/context.ts';
import { asOf, limit, page } from '../request/parameters.ts';
import { type Column, sortNames } from './data-table.ts';
import { FILE_FORMATS } from './table-files.ts';

/** Parameters of a paged and sorted list. */
export const tableParameters = <Row>(columns: readonly Column<Row>[]) => {
  const names = sortNames(columns);
  return {
    sort: z
      .enum(names, {
        error: `Expected a column name, with - before it for descending: one of ${names.filter((name) => !name.startsWith('-')).join(', ')}.`,
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

/** Parameters of every page. Only pages with files accept the last two. */
const COMMON = z.object({ asOf, format: fileFormat, table: z.string().optional() });

/** Non-empty query parameters. @throws RefusedError for a repeated one */
export const givenOf = (c: Context<ServiceEnv>): Record<string, string> => {
  const given = Object.entries(c.req.queries()).flatMap(([name, values]): [string, string][] => {
    const filled = values.filter((value) => value.trim() !== '');
    if (filled.length > 1)
      throw refusedParameters('query', [
        { path: [name], message: `Was given ${filled.length} times.` },
      ]);
    return filled[0] === undefined ? [] : [[name, filled[0]]];
  });
  return Object.fromEntries(given); // assignment would lose a `__proto__`
};

const refuseUnknown = (given: object, known: readonly string[]): void => {
  const message = `Unknown parameter. Use one of: ${known.join(', ')}.`;
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

interface ParameterSchemas<P extends z.ZodObject, Q extends z.ZodObject> {
  readonly params: P;
  readonly query: Q;
  readonly hasFiles: boolean;
  readonly tables: readonly string[];
}

export class PageParameters<P extends z.ZodObject, Q extends z.ZodObject> {
  readonly #params: P;
  readonly #query: Q;
  /** All parameters together, so that one response lists all errors. */
  readonly #all: z.ZodObject;

  constructor({ params, query, hasFiles, tables }: ParameterSchemas<P, Q>) {
    this.#params = params;
    this.#query = query;
    this.#all = z.object({
      ...query.shape,
      asOf,
      ...(hasFiles ? { format: fileFormat } : {}),
      ...(tables.length === 0 ? {} : { table: tableName(tables) }),
    });
  }

  /** @throws RefusedError for unknown or invalid parameters */
  read(path: object, given: object) {
    refuseUnknown(given, Object.keys(this.#all.shape));
    const params = checked('param', this.#params, path);
    checked('query', this.#all, given);
    const query = checked('query', this.#query, given);
    return { params, query, ...checked('query', COMMON, given) };
  }
}
