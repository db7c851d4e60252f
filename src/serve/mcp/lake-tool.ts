import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { messageOf, TrendlakeError, UsageError } from '../../base/errors.ts';
import { isoOf, parseIso } from '../../base/iso.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';

/** A lake while one call of a tool reads it: one state of it, whatever is written meanwhile. */
export interface LakeReading {
  readonly lake: Lake;
  readonly clock: Clock;
  /** The instant asked for, Unix ms, never after now. */
  instantOf(asOf: string | undefined): number;
}

/** A tool that reads the lake. Input and output are objects; what is given beyond them is refused. */
export interface LakeTool<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** What it tells, and what of that is sampled, estimated or unknown. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  read(input: z.infer<I>, reading: LakeReading): z.infer<O> | Promise<z.infer<O>>;
}

/** Something that was asked for is not in the lake. */
export const notSeen = (what: string, at: number): UsageError =>
  new UsageError(`No ${what} had been seen by ${isoOf(at)}.`);

/** What a tool tells: the document, and its text for clients that read no structure. */
export const told = (document: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(document) }],
  structuredContent: document,
});

/** What a tool says of a failure. Its own errors are written for people; of others nothing is hidden. */
export const failed = (error: unknown, path: string): CallToolResult => {
  const known = error instanceof TrendlakeError ? error : lakeErrorOf(error, path);
  const text =
    known === undefined ? `Something unexpected failed: ${messageOf(error)}` : known.message;
  return { isError: true, content: [{ type: 'text', text }] };
};

/** Every tool only reads, and asks nobody outside. */
export const READS_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** Gives a server tools over the lake of a data directory. */
export class LakeTools {
  readonly #server: McpServer;
  readonly #dataDir: string;
  readonly #clock: Clock;

  constructor(server: McpServer, { dataDir, clock }: { dataDir: string; clock: Clock }) {
    this.#server = server;
    this.#dataDir = dataDir;
    this.#clock = clock;
  }

  /**
   * Adds one. The lake is opened for each call: between two of them it may be migrated, restored or
   * replaced.
   */
  add<I extends z.ZodObject, O extends z.ZodObject>(tool: LakeTool<I, O>): void {
    const { name, title, description, input, output } = tool;
    const read = async (given: z.infer<I>): Promise<CallToolResult> => {
      try {
        return told(await this.#reading((reading) => tool.read(given, reading)));
      } catch (error) {
        return failed(error, this.#dataDir);
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
