import type {
  CallToolResult,
  McpServer,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../base/clock.ts';
import { messageOf, TrendlakeError } from '../../base/errors.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import { eventsPage } from '../../lake/lists/event-list.ts';
import { UncachedLists } from '../../lake/lists/list-page.ts';
import { openLakeForReading } from '../../lake/open.ts';
import { searchPage } from '../../lake/search/search.ts';
import type { ReadContext } from '../request/context.ts';

const SEARCH_DEADLINE_MS = 5000;

/** The lake that tools read. */
export interface LakeOfTools {
  readonly dataDir: string;
  readonly clock: Clock;
  /** Depth of a search, in results. */
  readonly listItems: number;
}

/** The lake during one call, in one transaction. */
export interface LakeReading extends ReadContext {
  /** The requested instant in Unix ms, limited to now. */
  readonly instantOf: (asOf: number | undefined) => number;
}

interface LakeTool<I extends StandardSchemaWithJSON> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: StandardSchemaWithJSON;
  readonly read: (
    input: StandardSchemaWithJSON.InferOutput<I>,
    reading: LakeReading,
  ) => object | Promise<object>;
}

/** The document, and its text for clients without structured content. */
export const resultOf = (document: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(document) }],
  structuredContent: { ...document },
});

export const errorResult = (error: unknown, path: string): CallToolResult => {
  const known = error instanceof TrendlakeError ? error : lakeErrorOf(error, path);
  const text = known === undefined ? `Unexpected error: ${messageOf(error)}` : known.message;
  return { isError: true, content: [{ type: 'text', text }] };
};

export const READS_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** The lake is opened for each call, as it may be migrated, restored or replaced in between. */
const reading = async <T>(
  { dataDir, clock, listItems }: LakeOfTools,
  read: (reading: LakeReading) => T | Promise<T>,
): Promise<T> => {
  const now = clock.now();
  const lake = openLakeForReading(dataDir);
  const reads: ReadContext['reads'] = {
    lists: new UncachedLists(lake),
    read: async (_, query) => eventsPage(lake, query),
    search: async ({ windowMs, ...wish }) => {
      const since = windowMs === undefined ? undefined : wish.asOf - windowMs;
      const query = { ...wish, since, deadlineMs: SEARCH_DEADLINE_MS };
      return { ...searchPage(lake, query, clock), asOf: wish.asOf, version: null };
    },
  };
  try {
    lake.sqlite.exec('begin');
    const instantOf = (asOf: number | undefined): number => Math.min(now, asOf ?? now);
    return await read({ lake, clock, listItems, reads, instantOf });
  } finally {
    lake.close();
  }
};

export const addTool = <I extends StandardSchemaWithJSON>(
  server: McpServer,
  lake: LakeOfTools,
  { name, title, description, input, output, read }: LakeTool<I>,
): void => {
  const answer = async (given: StandardSchemaWithJSON.InferOutput<I>): Promise<CallToolResult> => {
    try {
      return resultOf(await reading(lake, (reading) => read(given, reading)));
    } catch (error) {
      return errorResult(error, lake.dataDir);
    }
  };
  const about = { title, description, annotations: READS_ONLY };
  server.registerTool<StandardSchemaWithJSON, StandardSchemaWithJSON>(
    name,
    { ...about, inputSchema: input, outputSchema: output },
    (given) => answer(given as StandardSchemaWithJSON.InferOutput<I>),
  );
};
