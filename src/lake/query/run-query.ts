import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../base/child-environment.ts';
import type { Clock } from '../../base/clock.ts';
import { EXIT, type ExitCode, messageOf, TrendlakeError } from '../../base/errors.ts';
import { workerFile } from '../../base/worker-file.ts';
import { BEGUN, type QueryEnd, type QueryGuard, type QueryRequest } from './query-request.ts';

/** A query that gave no response, or not all of it. Nothing was changed. */
export class QueryError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode: ExitCode;
  readonly #code: string;
  constructor(message: string, code: string, exitCode: ExitCode) {
    super(message);
    this.#code = code;
    this.exitCode = exitCode;
  }
  override get code(): string {
    return this.#code;
  }
}

/** Environment, clock and signal of a query. */
export interface QuerySurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Ends the query. */
  readonly signal: AbortSignal;
  /** Called when a JSON document has begun on stdout. */
  noteDocument?(): void;
}

/** There is more than its reader takes. The rows before it were handed over. */
export class OverflowError extends Error {}

/** Limits of a query, and the receiver of its rows. */
export interface QueryBounds {
  readonly timeoutMs?: number;
  /** Whole lines of rows, some at a time, waited for; absent: they go to the stdout of this process. */
  readonly onLines?: (lines: string) => void | Promise<void>;
  /** More characters, or a longer line, end the query with an OverflowError. */
  readonly mostCharacters?: number;
  readonly longestLine?: number;
  /** Memory for rows and sorting, KiB, where a stranger wrote it; kept on Linux alone. */
  readonly dataKib?: number;
}

/** Rows die young: collected often and cheaply they take the same memory however many there are. */
const SMALL_YOUNG_SPACE = '--max-semi-space-size=2';
const CHILD = fileURLToPath(workerFile(import.meta.url, 'query-child'));
const EXIT_CODES: readonly ExitCode[] = Object.values(EXIT);
const STOPPED_BY: readonly string[] = ['SIGINT', 'SIGTERM'];

const NONE = Number.POSITIVE_INFINITY;

/** A process of low priority with memory limited by the system: SQLite as built has no limit. */
const BOUNDED = 'ulimit -d "$1" 2>/dev/null; shift; exec nice -n 10 "$@"';

const commandOf = (dataKib: number | undefined): [string, string[]] =>
  dataKib === undefined || process.platform === 'win32'
    ? [process.execPath, [SMALL_YOUNG_SPACE, CHILD]]
    : [
        '/bin/sh',
        [
          '-c',
          BOUNDED,
          'sh',
          String(dataKib),
          process.execPath,
          SMALL_YOUNG_SPACE,
          '--max-old-space-size=64',
          CHILD,
        ],
      ];

/**
 * The whole lines of a stream, some at a time, without the last line feed of each piece.
 * @throws OverflowError past either bound, after the lines that were whole by then
 */
async function* linesOf(
  stream: Readable,
  mostCharacters: number,
  longestLine: number,
): AsyncGenerator<string> {
  let rest = '';
  let read = 0;
  for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) {
    read += piece.length;
    const end = piece.lastIndexOf('\n');
    if (end === -1) rest += piece;
    else {
      yield rest + piece.slice(0, end);
      rest = piece.slice(end + 1);
    }
    if (read > mostCharacters || rest.length > longestLine) throw new OverflowError();
  }
  if (rest !== '') yield rest;
}

/**
 * Runs one query in a separate process, which a signal, `timeoutMs` or a closed pipe ends at once;
 * a thread would have to wait for SQLite. Rows go to `onLines`, else to the stdout of this process.
 * @throws QueryError if it failed, was stopped or took too long; OverflowError past
 * `mostCharacters`
 */
export const runQuery = async (
  request: QueryRequest,
  io: QuerySurroundings,
  { timeoutMs, onLines, mostCharacters = NONE, longestLine = NONE, dataKib }: QueryBounds,
): Promise<Exclude<QueryEnd, { failed: unknown }>> => {
  const { signal: stopping } = io; // asked for first: a signal between here and there would leave the child
  const cache = getCompileCacheDir(); // within the one that is named; an environment handed in need not name it
  const stderr = dataKib === undefined ? 'inherit' : 'ignore';
  const child = spawn(...commandOf(dataKib), {
    stdio: ['pipe', onLines === undefined ? 'inherit' : 'pipe', stderr, 'pipe'],
    env: {
      ...childEnvironment(io.env),
      ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }),
    },
  });
  const kill = (): void => void child.kill('SIGKILL');
  const over = new AbortController();
  let isLate = false;
  process.once('exit', kill); // also if the reader of this process's output is gone
  stopping.addEventListener('abort', kill);
  if (stopping.aborted) kill();
  if (timeoutMs !== undefined)
    io.clock.sleep(timeoutMs, over.signal).then(
      () => {
        isLate = true;
        kill();
      },
      () => {}, // it was done before
    );
  try {
    const closed = once(child, 'close');
    child.stdin?.on('error', () => {}); // it ended before it was asked
    child.stdin?.end(JSON.stringify(request));
    const ended = text(child.stdio[3] as Readable);
    if (onLines !== undefined && child.stdout !== null)
      for await (const lines of linesOf(child.stdout, mostCharacters, longestLine))
        await onLines(lines);
    const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
    const stated = await ended;
    if (request.format === 'json' && stated.startsWith(BEGUN)) io.noteDocument?.();
    if (isLate)
      throw new QueryError(
        `The query took longer than ${(timeoutMs ?? 0) / 1000} s and was ended (--timeout).`,
        'timeout',
        EXIT.failed,
      );
    if (stopping.aborted || (signal !== null && STOPPED_BY.includes(signal))) {
      const why = stopping.aborted ? messageOf(stopping.reason) : `stopped by ${signal}`;
      throw new QueryError(`The query was ${why}.`, 'stopped', EXIT.failed);
    }
    if (stated.trim() === '') {
      if (code === 0) return { rows: 0, hasMore: false, columns: [] }; // its reader is gone
      throw new QueryError(
        `The query's process ended with ${signal ?? `exit code ${code}`}; it may have had too little memory.`,
        'unexpected',
        EXIT.failed,
      );
    }
    const end = JSON.parse(stated) as QueryEnd;
    if (!('failed' in end)) return end;
    const { message, code: slug, exitCode } = end.failed;
    throw new QueryError(
      message,
      slug,
      EXIT_CODES.find((code) => code === exitCode) ?? EXIT.failed,
    );
  } finally {
    over.abort();
    process.removeListener('exit', kill);
    stopping.removeEventListener('abort', kill);
    kill();
  }
};

/** SQLite's memory and the process's own together; its address space alone takes more than half. */
const DATA_KIB = 768 * 1024;
/** Characters of a line, so that one row cannot fill the reader's memory. */
const LONGEST_LINE = 4_000_000;

/**
 * Runs a query of a page or of an assistant. Memory is bounded, nothing is written to disk,
 * closed tables cannot be read (`refuseClosed`), and the process sees no environment, hence no secret.
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
