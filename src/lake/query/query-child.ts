import { readFileSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { EXIT, messageOf, TrendlakeError, UsageError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { lakeErrorOf } from '../explain-error.ts';
import { openLakeForReading } from '../open.ts';
import { prepare } from '../prepare.ts';
import { readVideosOnce, showLakeAsOf } from './lake-as-of.ts';
import { BEGUN, type QueryEnd, type QueryRequest } from './query-request.ts';
import { refuseClosed } from './refuse-closed.ts';
import { rowText, type SqlValue } from './row-text.ts';

// The process of one query, started by run-query.ts: nothing but the end of its process ends a
// statement of SQLite at once. Rows go to descriptor 1, how it ended to descriptor 3. It waits while
// they are not read, so that it needs no more memory than a piece of its output.

const PIECE_CHARACTERS = 64 * 1024;
const ROWS = 1;
const END = 3;
const NOT_NOW_MS = 5;

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes all of a text; waits where the reader is slow. @throws once the reader is gone */
const write = (descriptor: number, text: string): void => {
  let bytes = Buffer.from(text, 'utf8');
  while (bytes.length > 0)
    try {
      bytes = bytes.subarray(writeSync(descriptor, bytes));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(pause, 0, 0, NOT_NOW_MS);
    }
};

/** @throws UsageError when two columns have one name: a JSON object holds each name once */
const refuseSameNames = (columns: readonly string[]): void => {
  const twice = columns.find((name, i) => columns.indexOf(name) < i);
  if (twice !== undefined)
    throw new UsageError(
      `Two columns are called "${twice}", and a JSON object holds one of a name. Name them apart with "as", or use --csv.`,
    );
};

const SOURCES = "type in ('table', 'view')";
const COLUMNS = `from sqlite_schema s, pragma_table_info(s.name) c where s.${SOURCES}`;
const MOST_HOLDERS = 4;

/** Suggests a name for an unknown table or column. */
const meant = (sqlite: Database.Database, message: string): string => {
  const [, kind, written = ''] = /^no such (table|column): (.+)$/.exec(message) ?? [];
  if (kind === undefined) return '';
  const all = (sql: string, ...given: string[]): string[] =>
    prepare(sqlite, sql, 'text').all(...given);
  const name = written.replace(/^.*\./, '');
  if (kind === 'table')
    return didYouMean(name, all(`select name from sqlite_schema where ${SOURCES}`));
  const holders = all(
    `select s.name ${COLUMNS} and c.name = ? collate nocase order by s.type desc, s.name limit ${MOST_HOLDERS}`,
    name,
  );
  return holders.length === 0
    ? didYouMean(name, all(`select distinct c.name ${COLUMNS}`))
    : ` It is a column of ${holders.join(', ')}.`;
};

const failureOf = (
  error: unknown,
  sqlite: Database.Database | undefined,
  { dictionary }: QueryRequest,
): QueryEnd => {
  const path = sqlite?.name ?? 'The lake';
  const ofFile = error instanceof TrendlakeError ? error : lakeErrorOf(error, path);
  const isSql = error instanceof Database.SqliteError || error instanceof RangeError;
  if (sqlite !== undefined && isSql && !(ofFile !== undefined && !(ofFile instanceof UsageError))) {
    const stated = messageOf(error);
    const message = `The query cannot be run: ${stated}.${meant(sqlite, stated)} The tables and their columns are in ${dictionary}.`;
    return { failed: { message, code: 'usage', exitCode: EXIT.usage } };
  }
  if (ofFile !== undefined) {
    const { message, code, exitCode } = ofFile;
    return { failed: { message, code, exitCode } };
  }
  const message = `The query failed: ${messageOf(error)}`;
  return { failed: { message, code: 'unexpected', exitCode: EXIT.failed } };
};

/** Runs the query and writes its rows. */
const answer = (sqlite: Database.Database, request: QueryRequest): QueryEnd => {
  const { sql, format, isSafe, limit = Number.POSITIVE_INFINITY, shown, guard } = request;
  const statement = sqlite.prepare<[], SqlValue[]>(sql);
  if (!statement.reader || !statement.readonly)
    throw new UsageError(
      'query only reads: expected one SELECT, got a statement that writes. Nothing was changed.',
    );
  if (guard !== undefined) refuseClosed(sqlite, sql);
  if (request.asOf !== undefined) readVideosOnce(sqlite, sql);
  const columns = statement.columns().map((column) => column.name);
  if (format === 'json') refuseSameNames(columns);
  const text = rowText(columns, format, { isSafe, cellCharacters: guard?.cellCharacters });
  const mostWritten = format === 'cells' ? Math.min(shown, limit) : limit;
  const mostCharacters = guard?.characters ?? Number.POSITIVE_INFINITY;
  let written = 0;
  let piece = text.head;
  let rows = 0;
  let hasBegun = false;
  const writeRows = (lines: string): void => {
    if (!hasBegun) write(END, BEGUN);
    hasBegun = true;
    write(ROWS, lines);
  };
  let hasMore = false;
  for (const row of statement.safeIntegers().raw().iterate()) {
    if (rows === limit) {
      hasMore = true;
      break;
    }
    rows += 1;
    if (rows <= mostWritten && written < mostCharacters) {
      const line = text.row(row, rows === 1);
      written += line.length;
      piece += line;
    }
    if (piece.length < PIECE_CHARACTERS) continue;
    writeRows(piece);
    piece = '';
  }
  writeRows(piece + text.tail(rows));
  return { rows, hasMore, columns };
};

/** True if the reader of the rows has gone. A socket with unread rows reports that by a reset. */
const hasNoReader = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(EPIPE|ECONNRESET)$/.test(String(error.code));

const run = (request: QueryRequest): QueryEnd => {
  let sqlite: Database.Database | undefined;
  try {
    sqlite = openLakeForReading(request.dataDir).sqlite;
    // sorts must not use memory; a guarded query may write nothing to disk and its memory is limited
    if (request.guard === undefined) sqlite.pragma('temp_store = FILE');
    if (request.asOf !== undefined) showLakeAsOf(sqlite, request.asOf);
    return answer(sqlite, request);
  } catch (error) {
    if (hasNoReader(error)) process.exit(0);
    return failureOf(error, sqlite, request);
  } finally {
    sqlite?.close();
  }
};

write(END, JSON.stringify(run(JSON.parse(readFileSync(0, 'utf8')) as QueryRequest)));
