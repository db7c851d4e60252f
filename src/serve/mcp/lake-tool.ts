import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { messageOf, TrendlakeError, UsageError } from '../../base/errors.ts';
import { isoOf, parseIso } from '../../base/iso.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';

/** The lake during one call, in one transaction. */
export interface LakeReading {
  readonly lake: Lake;
  readonly clock: Clock;
  /** The requested instant in Unix ms, limited to now. */
  instantOf(asOf: string | undefined): number;
}

export interface LakeTool<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Also names sampled, estimated and unknown values. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  read(input: z.infer<I>, reading: LakeReading): z.infer<O> | Promise<z.infer<O>>;
}

export const notSeen = (what: string, at: number): UsageError =>
  new UsageError(`No ${what} had been seen by ${isoOf(at)}.`);

/** The document, and its text for clients without structured content. */
export const resultOf = (document: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(document) }],
  structuredContent: document,
});

export const errorResult = (error: unknown, path: string): CallToolResult => {
  const known = error instanceof TrendlakeError ? error : lakeErrorOf(error, path);
  const text = known === undefined ? `Unexpected error: ${messageOf(error)}` : known.message;
  return { isError: true, content: [{ type: 'text', text }] };
};

export const READS_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

export class LakeTools {
  readonly #server: McpServer;
  readonly #dataDir: string;
  readonly #clock: Clock;

  constructor(server: McpServer, { dataDir, clock }: { dataDir: string; clock: Clock }) {
    this.#server = server;
    this.#dataDir = dataDir;
    this.#clock = clock;
  }

  /** The lake is opened for each call, as it may be migrated, restored or replaced in between. */
  add<I extends z.ZodObject, O extends z.ZodObject>(tool: LakeTool<I, O>): void {
    const { name, title, description, input, output } = tool;
    const read = async (given: z.infer<I>): Promise<CallToolResult> => {
      try {
        return resultOf(await this.#reading((reading) => tool.read(given, reading)));
      } catch (error) {
        return errorResult(error, this.#dataDir);
      }
    };
    this.#server.registerTool<O, z.ZodObject>(
      name,
      { title, description, inputSchema: input, outputSchema: output, annotations: READS_ONLY },
      (given) => read(given as z.infer<I>),
    );
  }

  async #reading<T>(read: (reading: LakeReading) => T | Promise<T>): Promise<T> {
    const clock = this.#clock;
    const now = clock.now();
    const lake = openLakeForReading(this.#dataDir);
    try {
      lake.sqlite.exec('begin');
      const instantOf = (asOf: string | undefined): number =>
        Math.min(now, (asOf === undefined ? undefined : parseIso(asOf)) ?? now);
      return await read({ lake, clock, instantOf });
    } finally {
      lake.close();
    }
  }
}
