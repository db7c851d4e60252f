import { parse } from 'csv-parse/sync';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { rangeMs } from '../../base/durations.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import { parseIso } from '../../base/iso.ts';
import { didYouMean } from '../../base/nearest.ts';
import { type ParsedSubject, parseSubject } from './watch-subject.ts';
import type { NewWatch } from './watches.ts';

/** A row that cannot be a watch. `line` counts from 1, the header. */
export interface CsvProblem {
  readonly line: number;
  readonly problem: string;
}

/** A row that can: its platform may still be open. */
export interface CsvWatch extends Omit<NewWatch, 'kind' | 'platform' | 'subject'> {
  readonly line: number;
  readonly parsed: ParsedSubject;
}

const COLUMNS = ['subject', 'kind', 'platform', 'every', 'tags', 'until', 'note'] as const;
type Column = (typeof COLUMNS)[number];
type Fields = Partial<Record<Column, string>>;

/** A field that may be empty. @throws UsageError if it cannot be read */
const readField = <T>(
  fields: Fields,
  column: Column,
  { read, expected }: { read(text: string): T | undefined; expected: string },
): T | null => {
  const text = fields[column]?.trim() ?? '';
  if (text === '') return null;
  const value = read(text);
  if (value !== undefined) return value;
  throw new UsageError(`${column} must be ${expected}. It is "${text}".`);
};

const anyText = { read: (text: string) => text, expected: 'text' };

const watchIn = (fields: Fields, line: number, now: number): CsvWatch => {
  const textOf = (column: Column): string => readField(fields, column, anyText) ?? '';
  const until = readField(fields, 'until', {
    read: parseIso,
    expected: 'an ISO 8601 date such as 2026-12-31',
  });
  if (until !== null && until <= now)
    throw new UsageError(`until is in the past: ${textOf('until')}. Use a later date.`);
  const platform = readField(fields, 'platform', {
    read: (text) => PLATFORMS.find((name) => name === text.toLowerCase()),
    expected: `one of ${PLATFORMS.join(', ')}`,
  });
  const kind = textOf('kind');
  const prefix = { creator: '@', hashtag: '#' }[kind] ?? '';
  const subject = textOf('subject');
  return {
    line,
    parsed: parseSubject(subject.startsWith(prefix) ? subject : `${prefix}${subject}`, {
      platform,
      isSearch: kind === 'search',
    }),
    everyMs: readField(fields, 'every', { read: rangeMs, expected: 'a span such as 6h or 1d' }),
    tags: textOf('tags')
      .split(/[;|,]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    until,
    note: readField(fields, 'note', anyText),
  };
};

/**
 * Reads watches from CSV (RFC 4180) with a header row: `subject` and, optionally, `kind`, `platform`,
 * `every`, `tags` (separated by `;`), `until` and `note`.
 * @throws UsageError if the file is not CSV or its header has no `subject`
 */
export const readWatchesCsv = (
  text: string,
  now: number,
): { watches: CsvWatch[]; problems: CsvProblem[] } => {
  let rows: { info: { lines: number }; record: string[] }[];
  try {
    // with `info` each row comes with its line, which the types of the library do not say
    rows = parse(text, {
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as typeof rows;
  } catch (error) {
    throw new UsageError(`The file is not CSV: ${messageOf(error)}.`);
  }
  const header = (rows[0]?.record ?? []).map((name) => name.trim().toLowerCase());
  const unknown = header.find((name) => !COLUMNS.some((each) => each === name));
  if (unknown !== undefined)
    throw new UsageError(
      `Column "${unknown}" is unknown. Columns are ${COLUMNS.join(', ')}.${didYouMean(unknown, COLUMNS)}`,
    );
  if (!header.includes('subject'))
    throw new UsageError(
      'The header row has no column "subject". Begin the file with, for example: subject,platform,every,tags',
    );
  const watches: CsvWatch[] = [];
  const problems: CsvProblem[] = [];
  for (const { info, record } of rows.slice(1)) {
    const fields = Object.fromEntries(header.map((name, index) => [name, record[index] ?? '']));
    try {
      watches.push(watchIn(fields, info.lines, now));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push({ line: info.lines, problem: error.message });
    }
  }
  return { watches, problems };
};
