import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { SECOND_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { positiveNumber, wholeNumber } from '../../base/text-values.ts';
import type { RowFormat } from '../../lake/query/query-request.ts';
import { runQuery } from '../../lake/query/run-query.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { instantBefore, textFromFile, valued } from '../context/option-values.ts';
import { counted, grouped } from '../text/figures.ts';
import type { Cell } from '../text/text-table.ts';

const SHOWN_ROWS = 200;
const LONGEST_WAIT_S = 1_000_000;

const EXAMPLES = `
Examples:
  trendlake query "select platform, count(*) from videos group by 1"
  trendlake query "select rank, title, views from feed_now where platform = 'tiktok' limit 10"
  trendlake query "select * from video_history where id = 'tt_123'" --csv > history.csv
  trendlake query -f rising.sql --vertical
  trendlake query --as-of 7d "select * from trends_now"       the same lake a week ago
  echo "select count(*) from videos" | trendlake query

Tables and views: ${docsPage('reference/tables.md')}. Times are Unix milliseconds in tables, ISO text in
views. The table is for reading: it has the first ${SHOWN_ROWS} rows unless --limit says otherwise, long text is cut,
numbers have three decimals. --csv and --json have it all, and stream: a million rows need no more
memory than ten. Use --csv-safe for files that people open in a spreadsheet: titles and names come
from strangers, and one that begins with =, +, -, @ (full-width too, and behind blanks), a tab or a
line end would be run as a formula; it is put behind an apostrophe.`;

const AFTER_ERROR = `\`${commandText('query --help')}\` shows examples. Put SQL that begins with a dash, such as a comment, after \`--\`:
  ${commandText('query --json -- "-- newest first ..."')}`;

interface Options {
  asOf?: number;
  file?: string;
  csv?: boolean;
  csvSafe?: boolean;
  vertical?: boolean;
  limit?: number;
  timeout?: number;
}

/** Reads the query from the command line, a file or stdin. */
const sqlOf = async (sql: string | undefined, { file }: Options, io: CliIo): Promise<string> => {
  if (sql !== undefined && file !== undefined)
    throw new UsageError('The query is on the command line and in --file. Use one of them.');
  if (file !== undefined) return textFromFile(resolve(io.cwd, file));
  if (sql !== undefined && sql !== '-') return sql;
  const { input } = io;
  if (input === undefined || (input.isTTY === true && sql === undefined))
    throw new UsageError(
      'The query is missing. Write it after the command, into a file for -f, or to stdin.',
    );
  return text(input);
};

const cellOf = (value: unknown): Cell => {
  if (typeof value === 'object' && value !== null && 'integer' in value)
    return BigInt(String(value.integer));
  return typeof value === 'string' || typeof value === 'number' ? value : null;
};

const cellsOf = (line: string): Cell[] => {
  const values: unknown = JSON.parse(line);
  return Array.isArray(values) ? values.map(cellOf) : [];
};

/** Prints each row as lines of `column  value`, without truncation. */
const verticalText = (columns: readonly string[], rows: readonly Cell[][]): string => {
  const width = Math.max(0, ...columns.map((name) => name.length));
  return rows
    .map((row, i) =>
      [
        `─── row ${grouped(i + 1)}`,
        ...columns.map((name, n) => `${name.padEnd(width)}  ${row[n] ?? ''}`.trimEnd()),
      ].join('\n'),
    )
    .join('\n');
};

const countText = (rows: number, shown: number, hasMore: boolean): string => {
  if (hasMore) return `${counted(rows, 'row')}; there are more (--limit ${rows})`;
  return shown < rows
    ? `${grouped(shown)} of ${counted(rows, 'row')}; --limit ${rows} shows all, --csv and --json have them`
    : counted(rows, 'row');
};

const formatOf = ({ csv, csvSafe }: Options, io: CliIo): RowFormat => {
  if (io.isJson) return 'json';
  return csv === true || csvSafe === true ? 'csv' : 'cells';
};

const run = async (given: string | undefined, options: Options, io: CliIo): Promise<void> => {
  const { asOf, limit, timeout, vertical, csvSafe } = options;
  const { dataDir } = configOf(io);
  const sql = await sqlOf(given, options, io);
  const format = formatOf(options, io);
  const request = {
    dataDir,
    sql,
    asOf,
    format,
    limit,
    dictionary: docsPage('reference/tables.md'),
    isSafe: csvSafe === true,
    shown: limit ?? SHOWN_ROWS,
  };
  const patience = timeout === undefined ? {} : { timeoutMs: timeout * SECOND_MS };
  if (format !== 'cells') {
    const isDirect = io.ownsStdout && io.columns === undefined;
    await runQuery(request, io, { ...patience, ...(isDirect ? {} : { onLines: io.csv }) });
    return;
  }
  const cells: Cell[][] = [];
  const { columns, rows, hasMore } = await runQuery(request, io, {
    ...patience,
    onLines: (lines) => void cells.push(...lines.split('\n').map(cellsOf)),
  });
  if (vertical !== true) io.out(io.table(columns, cells));
  else if (cells.length > 0) io.out(verticalText(columns, cells));
  io.out(countText(rows, cells.length, hasMore));
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('[sql]', 'one SELECT, or WITH ... SELECT; - or nothing: from stdin')
    .addOption(
      valued(
        '--as-of <instant>',
        'as the lake was known then: ISO 8601, or a span such as 36h or 7d ago',
        instantBefore(io),
      ),
    )
    .option('-f, --file <file>', 'read the query from a file')
    .addOption(
      new Option('--csv', 'RFC 4180 with lines that end in LF; a header first').conflicts([
        'json',
        'vertical',
      ]),
    )
    .addOption(
      new Option('--csv-safe', 'the same for a spreadsheet: no text is a formula').conflicts([
        'json',
        'vertical',
      ]),
    )
    .addOption(new Option('--json', 'an array of objects').conflicts('vertical'))
    .option('--vertical', 'one column per line, nothing cut')
    .addOption(valued('--limit <n>', 'most rows to print', wholeNumber(1)))
    .addOption(
      valued(
        '--timeout <seconds>',
        'stop the query after this many seconds (default: never)',
        positiveNumber(LONGEST_WAIT_S),
      ),
    )
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError(AFTER_ERROR)
    .action((sql: string | undefined, options: Options) => run(sql, options, io));
};
