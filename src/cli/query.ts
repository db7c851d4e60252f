import Database from 'better-sqlite3';
import { type Command, Option } from 'commander';
import { messageOf, UsageError } from '../errors.ts';
import { lakeErrorOf } from '../lake/explain-error.ts';
import { openLakeForReading } from '../lake/open.ts';
import { type CliIo, configOf } from './io.ts';
import { type Cell, textTable } from './text-table.ts';

const EXAMPLES = `
Examples:
  trendlake query "select platform, count(*) from videos group by 1"
  trendlake query "select rank, title, views from feed_now where platform = 'tiktok' limit 10"
  trendlake query "select * from video_history where id = 'tt_123'" --csv > history.csv

Tables and views: docs/data-dictionary.md. Times are Unix milliseconds in tables, ISO text in views.
The table is for reading: long text is cut, numbers have three decimals. --csv and --json have it all.`;

const AFTER_ERROR = `\`trendlake query --help\` shows examples. SQL that begins with a dash, such as a comment, stands after \`--\`:
  trendlake query --json -- "-- newest first ..."`;

const shown = (value: unknown): string =>
  value === null ? '' : Buffer.isBuffer(value) ? `<${value.length} bytes>` : String(value);

const csvField = (value: unknown): string => {
  const text = shown(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const jsonValue = (value: unknown): unknown => {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
};

/**
 * Checks that no two columns have one name: an object holds each name once.
 * @throws UsageError
 */
const refuseSameNames = (columns: readonly string[]): void => {
  const twice = columns.find((name, i) => columns.indexOf(name) < i);
  if (twice !== undefined)
    throw new UsageError(
      `Two columns are called "${twice}", and a JSON object holds one of a name. Name them apart with "as", or use --csv.`,
    );
};

/** Whole, else with three decimals, or three digits where it is a small fraction: what a reader compares. */
const readable = (value: number): number =>
  Number.isInteger(value)
    ? value
    : Math.abs(value) >= 1
      ? Math.round(value * 1000) / 1000
      : Number(value.toPrecision(3));

const cell = (value: unknown): Cell => {
  if (typeof value === 'number') return Number.isFinite(value) ? readable(value) : String(value);
  return typeof value === 'bigint' || value === null ? value : shown(value);
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<sql>', 'one SELECT, or WITH ... SELECT')
    .addOption(
      new Option('--csv', 'RFC 4180 with lines that end in LF; a header first').conflicts('json'),
    )
    .option('--json', 'an array of objects')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError(AFTER_ERROR)
    .action((sql: string, options: { csv?: boolean; json?: boolean }) => {
      const lake = openLakeForReading(configOf(io).dataDir);
      try {
        const statement = lake.sqlite.prepare(sql);
        if (!statement.reader || !statement.readonly)
          throw new UsageError(
            'query only reads: expected one SELECT, got a statement that writes. Nothing was changed.',
          );
        const columns = statement.columns().map((column) => column.name);
        if (options.json === true) refuseSameNames(columns);
        const rows = statement.safeIntegers().raw().iterate() as IterableIterator<unknown[]>;
        if (options.json === true) {
          const objects = [...rows].map((row) =>
            Object.fromEntries(columns.map((name, i) => [name, jsonValue(row[i])])),
          );
          io.json(objects);
        } else if (options.csv === true) {
          io.out(columns.map(csvField).join(','));
          for (const row of rows) io.out(row.map(csvField).join(','));
        } else {
          const cells = Array.from(rows, (row) => row.map(cell));
          io.out(textTable(columns, cells, io));
          io.out(`${cells.length} ${cells.length === 1 ? 'row' : 'rows'}`);
        }
      } catch (error) {
        const ofFile = lakeErrorOf(error, lake.path);
        if (ofFile !== undefined && !(ofFile instanceof UsageError)) throw ofFile;
        if (error instanceof Database.SqliteError || error instanceof RangeError)
          throw new UsageError(
            `The query cannot be run: ${messageOf(error)}. The tables and their columns are in docs/data-dictionary.md.`,
          );
        throw error;
      } finally {
        lake.close();
      }
    });
};
