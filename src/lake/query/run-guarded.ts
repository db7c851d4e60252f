import { EXIT } from '../../base/errors.ts';
import type { QueryEnd, QueryGuard, QueryRequest } from './query-request.ts';
import { type QueryBounds, QueryError, type QuerySurroundings, runQuery } from './run-query.ts';

/** SQLite's memory and the process's own together; its address space alone takes more than half. */
const DATA_KIB = 768 * 1024;
/** Characters of a line, so that one row cannot take the memory of whoever reads it. */
const LONGEST_LINE = 4_000_000;

/**
 * Runs a query of a page or of an assistant. Memory is bounded, nothing is written to disk, what is
 * closed cannot be read (`refuseClosed`), and the process sees no environment, hence no secret.
 * @throws QueryError and OverflowError as `runQuery` does
 */
export const runGuarded = async (
  request: QueryRequest & { readonly guard: QueryGuard },
  { clock, signal }: Pick<QuerySurroundings, 'clock' | 'signal'>,
  bounds: Omit<QueryBounds, 'dataKib' | 'longestLine'>,
): Promise<Exclude<QueryEnd, { failed: unknown }>> => {
  try {
    return await runQuery(
      request,
      { env: {}, clock, signal },
      { ...bounds, dataKib: DATA_KIB, longestLine: LONGEST_LINE },
    );
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    if (error.code !== 'unexpected' && !/out of memory|too big/i.test(error.message)) throw error;
    throw new QueryError(
      'The query needs more memory than one may take here. Ask for fewer or shorter rows, or sort less.',
      'memory',
      EXIT.failed,
    );
  }
};
