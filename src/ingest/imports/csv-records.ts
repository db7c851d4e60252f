import { parse } from 'csv-parse/sync';
import { messageOf, UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { didYouMean } from '../../base/nearest.ts';
import { FIELDS } from '../../base/wire/field-table.ts';
import { type Field, parseJson, readTags, readText, shortly } from '../../base/wire/fields.ts';
import type { ImportKind } from './import-records.ts';
import { FileReadError, ndjsonLines } from './ndjson-lines.ts';

/** Column of the file for a name of ours, such as `{views: 'plays'}`. */
export type ColumnMap = Readonly<Record<string, string>>;

/** A line of an import file, or a row of CSV, which may have several lines. */
export interface FileRecord {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly parsed: { readonly line: JsonObject } | { readonly problem: string };
}

/** Records of one chunk of a file. */
export interface RecordChunk {
  readonly records: FileRecord[];
  /** Last line of this chunk. */
  readonly throughLine: number;
  readonly bytesRead: number;
}

interface CsvRow {
  readonly line: number;
  readonly text: string;
}

type Header = readonly {
  readonly name: string;
  readonly field: Field<unknown> | undefined;
  readonly isText: boolean;
  /** Undefined: an empty cell is a missing field. */
  readonly empty: string | undefined;
}[];

const KINDS: Record<
  ImportKind,
  { readonly fields: Readonly<Record<string, Field<unknown>>>; readonly required: string[] }
> = {
  videos: { fields: FIELDS.importedVideo, required: ['id'] },
  snapshots: { fields: FIELDS.importedSnapshot, required: ['id', 'at'] },
  hashtags: { fields: FIELDS.importedHashtag, required: ['tag', 'platform', 'at'] },
  creators: { fields: FIELDS.importedCreator, required: ['user', 'platform', 'at'] },
};

/** Known fields of a kind of file. */
const namesOfKind = (kind: ImportKind): string[] => {
  const { fields, required } = KINDS[kind];
  const named = Object.values(fields).map(({ names: [name = ''] }) => name);
  return [...new Set([...required, 'platform', ...named])];
};

const ALL_NAMES = [
  ...new Set(Object.keys(KINDS).flatMap((kind) => namesOfKind(kind as ImportKind))),
];

export const isCsv = (path: string): boolean => /\.csv(\.gz)?$/i.test(path);

/**
 * Reads `--map` options such as `views=plays`.
 * @throws UsageError
 */
export const readColumnMap = (options: readonly string[]): ColumnMap => {
  const pairs = options.map((option) => {
    const at = option.indexOf('=');
    const name = option.slice(0, at);
    if (at < 1 || at === option.length - 1)
      throw new UsageError(
        `--map must be a name and a column of the file, such as views=plays. It is "${option}".`,
      );
    if (!ALL_NAMES.includes(name))
      throw new UsageError(
        `--map ${option}: imports have no field "${name}". Fields are ${ALL_NAMES.join(', ')}.${didYouMean(name, ALL_NAMES)}`,
      );
    return [name, option.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
};

const LONGEST_ROW = 256 * 1024;
const SEPARATORS = [',', ';', '\t'];

/** The most frequent separator in a header. */
const separatorOf = (header: string): string =>
  SEPARATORS.toSorted((a, b) => header.split(b).length - header.split(a).length)[0] ?? ',';

/** @returns a test for a text whose last quoted cell continues on the next line */
const openCells = (separators: string): ((text: string) => boolean) => {
  const quoted = new RegExp(`(^|[${separators}])"(?:[^"]|"")*"(?=[${separators}]|$)`, 'g');
  const opening = new RegExp(`(?:^|[${separators}])"`);
  return (text) => text.includes('"') && opening.test(text.replace(quoted, '$1'));
};

/** Rows of a CSV file, in chunks. A row continues while a quote is open. */
async function* csvRows(
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<{ rows: CsvRow[]; throughLine: number; bytesRead: number }> {
  let line = 0;
  let open: CsvRow | undefined;
  let hasHeader = false;
  let isOpen = openCells(SEPARATORS.join(''));
  let bytes = 0;
  for await (const { lines, bytesRead } of ndjsonLines(path, signal)) {
    const rows: CsvRow[] = [];
    bytes = bytesRead;
    for (const text of lines) {
      line += 1;
      const row: CsvRow =
        open === undefined ? { line, text } : { ...open, text: `${open.text}\n${text}` };
      open = undefined;
      if (row.text.trim() === '') continue;
      if (!isOpen(row.text)) {
        if (!hasHeader) isOpen = openCells(separatorOf(row.text));
        hasHeader = true;
        rows.push(row);
      } else if (row.text.length > LONGEST_ROW)
        throw new FileReadError(`line ${row.line} opens a quote that no later line closes`);
      else open = row;
    }
    yield { rows, throughLine: open === undefined ? line : open.line - 1, bytesRead };
  }
  if (open !== undefined) yield { rows: [open], throughLine: line, bytesRead: bytes };
}

const cellsOf = (text: string, delimiter: string): string[] =>
  (parse(text, { delimiter, relax_column_count: true }) as string[][])[0] ?? [];

/** @throws FileReadError for a header that cannot be right */
const headerOf = (
  text: string,
  { kind, map, delimiter }: { kind: ImportKind; map: ColumnMap; delimiter: string },
): Header => {
  const columns = cellsOf(text, delimiter).map((name) => name.trim());
  const { fields, required } = KINDS[kind];
  const known = namesOfKind(kind);
  const renamed = new Map<string, string>();
  for (const [name, column] of Object.entries(map)) {
    if (!known.includes(name)) continue;
    if (columns.includes(column)) renamed.set(column, name);
    else if (!columns.includes(name))
      throw new FileReadError(
        `--map ${name}=${column}: the header has no column "${column}"; it has ${columns.join(', ')}.${didYouMean(column, columns)}`,
      );
  }
  const names = columns.map((column) => renamed.get(column) ?? column);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new FileReadError(`the header has two columns for "${twice}". Remove or rename one`);
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new FileReadError(
      `the header has no column "${missing}"; it has ${columns.join(', ')}. Add it, or name its column with --map ${missing}=COLUMN`,
    );
  const byName = new Map(Object.values(fields).map((field) => [field.names[0], field]));
  return names.map((name) => {
    const field = byName.get(name);
    const isText = field === undefined ? known.includes(name) : field.read === readText;
    const empty = kind === 'hashtags' && name === 'platform' ? '' : undefined; // all platforms
    return { name, field, isText, empty };
  });
};

const EXPECTED: Record<string, string> = {
  'Unix ms': 'ISO 8601 or a Unix time',
  tags: 'tags separated by ; or a JSON list',
};

/** A cell of a further column: JSON, or else text. */
const looseCell = (text: string): unknown => {
  if (!/^(?:[[{"\d-]|true$|false$|null$)/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
};

const listCell = (text: string): unknown => {
  const parsed = looseCell(text);
  return Array.isArray(parsed) ? parsed : text.split(/[;|,]/).map((tag) => tag.trim());
};

/** @returns the fields of a row; a problem for a cell of a wrong type */
const recordOf = (cells: readonly string[], header: Header): FileRecord['parsed'] => {
  if (cells.length > header.length)
    return { problem: `${cells.length} cells, but the header has ${header.length} columns` };
  const entries: [string, unknown][] = [];
  for (const [index, { name, field, isText, empty }] of header.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') {
      if (empty !== undefined) entries.push([name, empty]);
    } else if (isText) entries.push([name, cell]);
    else if (field === undefined) entries.push([name, looseCell(cell)]);
    else {
      const value = field.read === readTags ? listCell(cell) : cell;
      if (field.read(value, name, []) === null)
        return {
          problem: `${name} must be ${EXPECTED[field.unit] ?? 'a whole number'}. It is ${shortly(cell, 40)}`,
        };
      entries.push([name, value]);
    }
  }
  const line: unknown = Object.fromEntries(entries);
  return isObject(line) ? { line } : { problem: 'no cells' };
};

/** Parses rows together, or one by one if one of them is not CSV. */
const parsedRows = (rows: readonly CsvRow[], header: Header, delimiter: string): FileRecord[] => {
  try {
    const all = parse(rows.map(({ text }) => text).join('\n'), {
      delimiter,
      relax_column_count: true,
    }) as string[][];
    if (all.length === rows.length)
      return rows.map((row, index) => ({ ...row, parsed: recordOf(all[index] ?? [], header) }));
  } catch {
    // reported below with its line
  }
  return rows.map((row) => {
    try {
      return { ...row, parsed: recordOf(cellsOf(row.text, delimiter), header) };
    } catch (error) {
      return { ...row, parsed: { problem: `not CSV: ${messageOf(error)}` } };
    }
  });
};

/**
 * Rows of a CSV file (RFC 4180, with a header) as objects, like lines of NDJSON. Cells of known columns are
 * checked. Other columns are JSON or text. An empty cell is a missing field.
 * @throws FileReadError for an unusable header, and as `ndjsonLines`
 */
export async function* csvRecords(
  { path, kind, map = {} }: { path: string; kind: ImportKind; map?: ColumnMap },
  signal?: AbortSignal,
): AsyncGenerator<RecordChunk> {
  let delimiter: string | undefined;
  let header: Header = [];
  for await (const { rows, ...chunk } of csvRows(path, signal)) {
    if (delimiter === undefined) {
      const first = rows.shift();
      if (first === undefined) continue;
      delimiter = separatorOf(first.text);
      header = headerOf(first.text, { kind, map, delimiter });
    }
    yield { records: parsedRows(rows, header, delimiter), ...chunk };
  }
}
