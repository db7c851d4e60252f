import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { BoundedQuery } from './bounded-query.ts';
import { failed, READS_ONLY, told } from './lake-tool.ts';

const ROWS = { most: 1000, usual: 100 };

const DESCRIPTION =
  'One read-only SELECT (or WITH ... SELECT) in SQLite\'s dialect over the tables and views of the lake, for what the other tools do not answer. Read the resource trendlake://data-dictionary first: it names every table, view and column, and says what is unknown or sampled; trendlake://cookbook has thirty worked queries. Views for people (feed_now, feed_history, hashtag_trend, creators_rising, video_milestones, list_stays, daily_summary ...) have ISO 8601 times; tables have Unix milliseconds. Bounded: rows by limit, 256 KB of JSON, 15 s; "truncated" says that there was more. Aggregate in SQL rather than reading many rows. Closed: tables that belong to single keys (subscriptions, deliveries), import_progress.path, and origin and item of rejected_items.';

const input = z.strictObject({
  sql: z.string().min(1).max(20_000).describe('One SELECT, without a semicolon and a second one.'),
  limit: z.int().min(1).max(ROWS.most).default(ROWS.usual).describe('At most so many rows.'),
});

const output = z.object({
  rows: z
    .array(z.record(z.string(), z.unknown()))
    .describe('Integers past 2^53 are text, blobs base64.'),
  rowCount: z.int().min(0).describe('Rows given here.'),
  truncated: z.boolean().describe('True: there are more rows than given here.'),
  note: z.string().optional(),
});

const NOTES = {
  rows: 'There are more rows: raise limit, or aggregate in SQL.',
  bytes: 'The rows were cut off at 256 KB: choose fewer columns or rows, or aggregate in SQL.',
};

/** Adds `query`: SQL over the lake, by the same reader as `trendlake query`. */
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
    async ({ sql, limit }, { mcpReq }) => {
      try {
        const { rows, cutAt } = await runSql({ sql, limit, signal: mcpReq.signal });
        return told({
          rows,
          rowCount: rows.length,
          truncated: cutAt !== null,
          ...(cutAt === null ? {} : { note: NOTES[cutAt] }),
        });
      } catch (error) {
        return failed(error, dataDir);
      }
    },
  );
};
