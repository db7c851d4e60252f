import { SECOND_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { docsPage } from '../../base/installation.ts';
import { QueryError, type QuerySurroundings, runQuery } from '../../lake/query/run-query.ts';
import type { AlertRow } from './alert-store.ts';

/** Longest time of a statement. */
const TIMEOUT_MS = 10 * SECOND_MS;
const MOST_ROWS = 1000;
const MOST_CHARACTERS = 4_000_000;

/** Rows of one evaluation by subject; the first row of a subject counts. */
export type RowsBySubject = ReadonlyMap<string, AlertRow>;

/** Runs the statement of an alert, over the lake of now or as of an instant (Unix ms). */
export type RunStatement = (sql: string, asOf?: number) => Promise<RowsBySubject>;

const subjectOf = (row: AlertRow): string => {
  const { subject } = row;
  if (typeof subject === 'string' || typeof subject === 'number') return String(subject);
  throw new UsageError(
    subject === undefined
      ? `The statement has no column "subject". It has ${Object.keys(row).join(', ')}. Name the key of a row with "as subject".`
      : 'The column "subject" is null in a row. Leave such rows out with a condition.',
  );
};

/**
 * A function that runs statements over the lake, each in a separate process, bounded in time and
 * rows.
 * @throws (rejects) UsageError or QueryError with the reason
 */
export const statementRunner =
  (
    dataDir: string,
    { env, clock, signal }: QuerySurroundings,
    timeoutMs: number = TIMEOUT_MS,
  ): RunStatement =>
  async (sql, asOf) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const lines: string[] = [];
    const request = {
      dataDir,
      sql,
      format: 'json' as const,
      limit: MOST_ROWS,
      dictionary: docsPage('reference/tables.md'),
      isSafe: false,
      shown: MOST_ROWS,
      asOf,
    };
    const io = { env, clock, signal: AbortSignal.any([signal, deadline]) };
    const end = await runQuery(request, io, {
      mostCharacters: MOST_CHARACTERS,
      onLines: (piece) => void lines.push(piece),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof QueryError && deadline.aborted)
        throw new UsageError(
          `The statement took longer than ${timeoutMs / SECOND_MS} s and was ended. Read fewer rows or use an indexed column.`,
        );
      throw error;
    });
    if (end.hasMore)
      throw new UsageError(
        `The statement returns more than ${MOST_ROWS} rows. Add a condition or a limit.`,
      );
    const rows = JSON.parse(lines.join('\n')) as AlertRow[];
    if (rows.length === 0 && !end.columns.includes('subject'))
      subjectOf(Object.fromEntries(end.columns.map((column) => [column, null])));
    const bySubject = new Map<string, AlertRow>();
    for (const row of rows) {
      const subject = subjectOf(row);
      if (!bySubject.has(subject)) bySubject.set(subject, row);
    }
    return bySubject;
  };
