import PQueue from 'p-queue';
import { EXIT } from '../../base/errors.ts';
import {
  OverflowError,
  QueryError,
  type QuerySurroundings,
  runGuarded,
} from '../../lake/query/run-query.ts';

const BOUNDS = { atOnce: 2, longestMs: 15_000, mostCharacters: 256 * 1024 };

/** Named in errors. */
const DICTIONARY = 'trendlake://data-dictionary';

interface SqlRequest {
  readonly sql: string;
  /** Unix ms; undefined: the lake as it is. */
  readonly asOf?: number | undefined;
  /** Maximum rows. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface SqlRows {
  readonly rows: Record<string, unknown>[];
  /** The limit that truncated the rows; null if they are complete. */
  readonly cutAt: 'rows' | 'bytes' | null;
}

/** Runs one read-only SELECT. @throws TrendlakeError */
export type BoundedQuery = (request: SqlRequest) => Promise<SqlRows>;

/** Rows in lines of the JSON array, which has one row per line. */
const rowsIn = (lines: string): Record<string, unknown>[] =>
  lines
    .split('\n')
    .filter((line) => line.startsWith('  {'))
    .map((line) => JSON.parse(line.replace(/,$/, '')) as Record<string, unknown>);

/**
 * Runs queries of assistants, two at once, each in a separate process that ends after 15 s, after 256 KB,
 * or when cancelled. Limits of memory and tables are those of the page `/query`.
 */
export const boundedQuery = (
  dataDir: string,
  { clock, signal: stopping }: Pick<QuerySurroundings, 'clock' | 'signal'>,
  bounds = BOUNDS,
): BoundedQuery => {
  const { atOnce, longestMs, mostCharacters } = bounds;
  const queue = new PQueue({ concurrency: atOnce });
  const run = async ({ sql, asOf, limit, signal: unwanted }: SqlRequest): Promise<SqlRows> => {
    const rows: Record<string, unknown>[] = [];
    const shape = { format: 'json', isSafe: false, shown: 0, dictionary: DICTIONARY } as const;
    const request = { dataDir, sql, asOf, limit, ...shape, guard: {} };
    const signal = AbortSignal.any([stopping, unwanted]);
    const onLines = (lines: string): void => void rows.push(...rowsIn(lines));
    try {
      const within = { timeoutMs: longestMs, mostCharacters, onLines };
      const { hasMore } = await runGuarded(request, { clock, signal }, within);
      return { rows, cutAt: hasMore ? 'rows' : null };
    } catch (error) {
      if (error instanceof OverflowError) return { rows, cutAt: 'bytes' };
      if (error instanceof QueryError && error.code === 'timeout')
        throw new QueryError(
          `The query took longer than ${longestMs / 1000} s and was ended. Add a filter on video_id, platform, tag or a time, which have indexes.`,
          error.code,
          EXIT.failed,
        );
      throw error;
    }
  };
  return (request) => queue.add(() => run(request), { signal: request.signal });
};
