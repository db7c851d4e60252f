import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { asOf } from '../request/parameters.ts';
import type { BoundedQuery } from './bounded-query.ts';
import { errorResult, READS_ONLY, resultOf } from './lake-tool.ts';

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
