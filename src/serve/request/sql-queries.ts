import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { commandText } from '../../base/installation.ts';
import type { QueryRequest } from '../../lake/query/query-request.ts';
import { OverflowError, QueryError, runGuarded } from '../../lake/query/run-query.ts';
import { WorkQueue } from '../cache/work-queue.ts';
import { stopping } from '../http/problems.ts';

export interface SqlLimits {
  /** For a page. */
  readonly timeoutMs: number;
  /** For a CSV file. */
  readonly fileTimeoutMs: number;
}

const LIMITS: SqlLimits = { timeoutMs: 10 * SECOND_MS, fileTimeoutMs: 60 * SECOND_MS };

/** Limits of rows: shown on a page, counted, and in a file. */
const SHOWN_ROWS = 200;
const COUNTED_ROWS = 100_000;
export const FILE_ROWS = 1_000_000;
/** Limits of characters on a page: per cell, and in total. */
const CELL_CHARACTERS = 500;
const CHARACTERS = 24_000;
/** Limits of concurrent processes, and of waiting queries per owner. */
const AT_ONCE = 2;
const WAITING_MOST = 3;

export type SqlCell = string | number | null;

export interface SqlTable {
  readonly columns: readonly string[];
  /** First rows only. */
  readonly rows: readonly (readonly SqlCell[])[];
  readonly counted: number;
  /** More rows exist than were counted. */
  readonly hasMore: boolean;
  readonly tookMs: number;
}

/** Error of a query, worded for its author. */
export class SqlFailure extends Error {}

/** A statement, and the instant as of which it reads the lake (Unix ms); undefined: as it is. */
export interface SqlStatement {
  readonly sql: string;
  readonly asOf?: number | undefined;
}

export interface SqlRequester {
  readonly owner: string;
  readonly gone: AbortSignal;
}

export interface SqlQueriesOptions {
  readonly dataDir: string;
  /** Real time. */
  readonly clock: Clock;
  readonly limits?: Partial<SqlLimits> | undefined;
}

const cellOf = (value: unknown): SqlCell => {
  if (typeof value === 'object' && value !== null && 'integer' in value)
    return String(value.integer);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
};

const rowOf = (line: string): SqlCell[] => {
  const values: unknown = JSON.parse(line);
  return Array.isArray(values) ? values.map(cellOf) : [];
};

/**
 * Runs SQL of users, each query in a separate read-only process with limits of time, rows and memory. Two
 * run at once, of different owners.
 */
export class SqlQueries {
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #limits: SqlLimits;
  readonly #queue: WorkQueue;
  readonly #closing = new AbortController();

  constructor({ dataDir, clock, limits }: SqlQueriesOptions) {
    this.#dataDir = dataDir;
    this.#clock = clock;
    this.#limits = { ...LIMITS, ...limits };
    const queue = { atOnce: AT_ONCE, atOnceOfOwner: 1, waitingMost: WAITING_MOST };
    this.#queue = new WorkQueue({ ...queue, clock });
  }

  /**
   * The first rows of a query.
   * @throws SqlFailure for an invalid or slow query, RefusedError if too many wait
   */
  async table(statement: SqlStatement, requester: SqlRequester): Promise<SqlTable> {
    const rows: SqlCell[][] = [];
    const from = this.#clock.monotonic();
    const { columns, counted, hasMore } = await this.#run(
      { ...statement, format: 'cells', isSafe: false, shown: SHOWN_ROWS, limit: COUNTED_ROWS },
      requester,
      (lines) => void rows.push(...lines.split('\n').map(rowOf)),
    );
    return { columns, rows, counted, hasMore, tookMs: this.#clock.monotonic() - from };
  }

  /**
   * All rows as CSV, in chunks. An apostrophe precedes text that spreadsheets would run as a formula.
   * Waits for `onLines`, so that a slow reader uses no memory.
   * @throws as `table`, also after some chunks
   */
  async csv(
    statement: SqlStatement,
    requester: SqlRequester,
    onLines: (lines: string) => Promise<void>,
  ): Promise<void> {
    const shape = { format: 'csv', isSafe: true, shown: 0, limit: FILE_ROWS } as const;
    const whole = { ...statement, ...shape };
    await this.#run(whole, requester, onLines);
  }

  close(): void {
    this.#closing.abort(stopping());
  }

  #run(
    query: Omit<QueryRequest, 'dataDir' | 'dictionary' | 'guard'>,
    { owner, gone }: SqlRequester,
    onLines: (lines: string) => void | Promise<void>,
  ): Promise<{ columns: readonly string[]; counted: number; hasMore: boolean }> {
    const signal = AbortSignal.any([gone, this.#closing.signal]);
    const { timeoutMs, fileTimeoutMs } = this.#limits;
    const isFile = query.format === 'csv';
    const cells = { cellCharacters: CELL_CHARACTERS, characters: CHARACTERS };
    const request = {
      ...query,
      dataDir: this.#dataDir,
      dictionary: 'the dictionary beside it',
      guard: isFile ? {} : cells,
    };
    return this.#queue.run(owner, signal, async () => {
      try {
        const end = await runGuarded(
          request,
          { clock: this.#clock, signal },
          { timeoutMs: isFile ? fileTimeoutMs : timeoutMs, onLines },
        );
        return { columns: end.columns, counted: end.rows, hasMore: end.hasMore };
      } catch (error) {
        if (error instanceof OverflowError)
          throw new SqlFailure('One row is too long for a file. Select fewer or shorter columns.', {
            cause: error,
          });
        throw error instanceof QueryError ? this.#failure(error, isFile) : error;
      }
    });
  }

  #failure(error: QueryError, isFile: boolean): SqlFailure {
    const seconds = (isFile ? this.#limits.fileTimeoutMs : this.#limits.timeoutMs) / SECOND_MS;
    if (error.code === 'timeout')
      return new SqlFailure(
        `The query took longer than ${seconds} s and was ended. Add a filter on video_id, platform, tag or time, which have indexes. \`${commandText('query')}\` on the machine of the service has no time limit.`,
        { cause: error },
      );
    return new SqlFailure(error.message, { cause: error });
  }
}
