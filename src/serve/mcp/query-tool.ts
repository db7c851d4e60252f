import type { McpServer } from '@modelcontextprotocol/server';
import PQueue from 'p-queue';
import { z } from 'zod';
import { EXIT } from '../../base/errors.ts';
import {
  OverflowError,
  QueryError,
  type QuerySurroundings,
  runGuarded,
} from '../../lake/query/run-query.ts';
import { asOf } from '../request/parameters.ts';
import { errorResult, READS_ONLY, resultOf } from './lake-tool.ts';

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

const ROWS = { most: 1000, usual: 100 };

const DESCRIPTION =
  'One read-only SELECT (or WITH ... SELECT) in SQLite\'s dialect over the tables and views of the lake. Use it if no other tool fits. Read the resource trendlake://data-dictionary first: it describes all tables, views and columns. trendlake://cookbook has thirty example queries. Convenience views (feed_now, feed_history, hashtag_trend, creators_rising, video_milestones, list_stays, daily_summary ...) have ISO 8601 times; tables have Unix milliseconds. Limits: rows by limit, 256 KB of JSON, 15 s; "truncated" is true if there are more rows. Aggregate in SQL instead of reading many rows. Not readable: tables of single keys (subscriptions, deliveries), import_progress.path, and origin and item of rejected_items.';

const input = z.strictObject({
  sql: z.string().min(1).max(20_000).describe('A single SELECT statement.'),
  asOf: asOf.meta({
    format: 'date-time',
    description: 'Answers over the lake as it was known at this instant (ISO 8601).',
  }),
  limit: z.int().min(1).max(ROWS.most).default(ROWS.usual).describe('Maximum rows.'),
});

const output = z.object({
  rows: z
    .array(z.record(z.string(), z.unknown()))
    .describe('Integers past 2^53 are text, blobs base64.'),
  rowCount: z.int().min(0).describe('Rows returned.'),
  truncated: z.boolean().describe('True if there are more rows.'),
  note: z.string().optional(),
});

const NOTES = {
  rows: 'There are more rows. Increase limit, or aggregate in SQL.',
  bytes: 'The rows were truncated at 256 KB. Select fewer columns or rows, or aggregate in SQL.',
};

/** Adds `query`, which works like `trendlake query`. */
export const addQueryTool = (server: McpServer, runSql: BoundedQuery, dataDir: string): void => {
  server.registerTool(
    'query',
    {
      title: 'SQL over the lake',
      description: DESCRIPTION,
      inputSchema: input,
      outputSchema: output,
      annotations: READS_ONLY,
    },
    async ({ sql, asOf, limit }, { mcpReq }) => {
      try {
        const { rows, cutAt } = await runSql({ sql, asOf, limit, signal: mcpReq.signal });
        return resultOf({
          rows,
          rowCount: rows.length,
          truncated: cutAt !== null,
          ...(cutAt === null ? {} : { note: NOTES[cutAt] }),
        });
      } catch (error) {
        return errorResult(error, dataDir);
      }
    },
  );
};
