import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { refusedParameters } from '../http/problems.ts';
import type { ServiceEnv } from '../request/context.ts';
import { asOf, checkedParameters, limit, page, tag } from '../request/parameters.ts';
import { type Column, sortNames } from './data-table.ts';
import { FILE_FORMATS, type FileFormat } from './table-files.ts';

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

/** Optional parameter with a fixed set of values. */
export const choiceOf = <const N extends string>(names: readonly N[]) =>
  z.enum(names, { error: `Expected one of ${names.join(', ')}.` }).optional();

/** Values of parameters, which are defined by name. */
export type ParametersOf<S extends z.ZodRawShape> = z.infer<z.ZodObject<S>>;
export type NoParameters = Record<never, z.ZodType>;

/** Parameters of every page, besides `tag`. Only pages with files accept the last two. */
interface CommonParameters {
  readonly asOf?: number;
  readonly format?: FileFormat;
  readonly table?: string;
}

/** Non-empty query parameters. @throws RefusedError for a repeated one */
export const givenOf = (c: Context<ServiceEnv>): Record<string, string> => {
  const given = Object.entries(c.req.queries()).flatMap(([name, values]): [string, string][] => {
    const [first, ...more] = values.filter((value) => value.trim() !== '');
    if (more.length > 0) {
      const message = `Was given ${more.length + 1} times.`;
      throw refusedParameters('query', [{ path: [name], message }]);
    }
    return first === undefined ? [] : [[name, first]];
  });
  return Object.fromEntries(given); // assignment would lose a `__proto__`
};

/** Returns a function that reads the parameters of a page and throws RefusedError if one is unknown or invalid. */
export const parameterReader = <P extends z.ZodRawShape, Q extends z.ZodRawShape>(
  { params: inPath, query: inQuery }: { readonly params: P; readonly query: Q },
  { hasFiles, tables }: { readonly hasFiles: boolean; readonly tables: readonly string[] },
) => {
  const all = z.object({
    ...inQuery,
    asOf,
    tag,
    ...(hasFiles ? { format: choiceOf(FILE_FORMATS) } : {}),
    ...(tables.length === 0 ? {} : { table: choiceOf(tables) }),
  });
  const known = Object.keys(all.shape);
  const message = `Unknown parameter. Use one of: ${known.join(', ')}.`;
  return (path: object, given: object) => {
    const unknown = Object.keys(given).filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw refusedParameters(
        'query',
        unknown.map((name) => ({ path: [name], message })),
      );
    const params = checkedParameters('param', z.object(inPath), path);
    const query = checkedParameters('query', all, given) as ParametersOf<Q> & CommonParameters;
    return { params, query };
  };
};
