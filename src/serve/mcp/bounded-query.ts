import PQueue from 'p-queue';
import { EXIT } from '../../base/errors.ts';
import { runGuarded } from '../../lake/query/run-guarded.ts';
import { OverflowError, QueryError, type QuerySurroundings } from '../../lake/query/run-query.ts';

const BOUNDS = { atOnce: 2, longestMs: 15_000, mostCharacters: 256 * 1024 };

/** Where the tables are described, as whoever asks here can read it. */
const DICTIONARY = 'trendlake://data-dictionary';

/** A query and its bounds. */
interface SqlRequest {
  readonly sql: string;
  /** At most so many rows. */
  readonly limit: number;
  /** Ends it: whoever asked does not wait any more. */
  readonly signal: AbortSignal;
}

/** What a query gave within its bounds. */
interface SqlRows {
  readonly rows: Record<string, unknown>[];
  /** What was reached first, where there is more: the limit of rows, or of bytes. */
  readonly cutAt: 'rows' | 'bytes' | null;
}

/** Runs one SELECT over the lake and changes nothing. @throws TrendlakeError that says why it cannot be run */
export type BoundedQuery = (request: SqlRequest) => Promise<SqlRows>;

/** The rows that lines of the JSON array hold; its brackets stand on lines of their own. */
const rowsIn = (lines: string): Record<string, unknown>[] =>
  lines
    .split('\n')
    .filter((line) => line.startsWith('  {'))
    .map((line) => JSON.parse(line.replace(/,$/, '')) as Record<string, unknown>);

/**
 * Queries of the lake for a program that may ask many: two at once, each in a process of its own
 * that ends after 15 s, once more than 256 KB were read, or when nobody waits for it. What they may
 * take and read is what a query of a page may.
 */
export const boundedQuery = (
  dataDir: string,
  { clock, signal: stopping }: Pick<QuerySurroundings, 'clock' | 'signal'>,
  bounds = BOUNDS,
): BoundedQuery => {
  const { atOnce, longestMs, mostCharacters } = bounds;
  const queue = new PQueue({ concurrency: atOnce });
  const run = async ({ sql, limit, signal: unwanted }: SqlRequest): Promise<SqlRows> => {
    const rows: Record<string, unknown>[] = [];
    const shape = { format: 'json', isSafe: false, shown: 0, dictionary: DICTIONARY } as const;
    const request = { dataDir, sql, limit, ...shape, guard: {} };
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
          `The query took longer than ${longestMs / 1000} s and was ended. Narrow it: a filter on video_id, platform, tag or a time uses an index.`,
          error.code,
          EXIT.failed,
        );
      throw error;
    }
  };
  return (request) => queue.add(() => run(request), { signal: request.signal });
};
