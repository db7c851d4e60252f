import { messageOf } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { parseJson, shortly } from '../../base/wire/fields.ts';
import {
  type ColumnMap,
  csvRecords,
  type FileRecord,
  isCsv,
  type RecordChunk,
} from './csv-records.ts';
import { type ImportColumns, importColumns } from './import-columns.ts';
import { ImportBatch, type ImportKind } from './import-records.ts';
import type { KnownPlatform } from './known-platform.ts';
import { FileReadError, ndjsonLines } from './ndjson-lines.ts';

/** A file to read, from a line on. */
export interface ImportSource {
  readonly path: string;
  readonly kind: ImportKind;
  /** Lines that an earlier import of the file has loaded. */
  readonly resumedAt: number;
  /** Columns of CSV files under other names. */
  readonly map?: ColumnMap;
}

/** A line that cannot be kept, and why. */
interface RefusedLine {
  readonly line: number;
  readonly problem: string;
  readonly text: string;
}

/** Lines of one transaction of an import. */
export interface FileBatch {
  readonly columns: ImportColumns;
  readonly refused: readonly RefusedLine[];
  /** The last line that is in it or in a batch before. */
  readonly throughLine: number;
  /** Bytes of the file, as stored, read so far. */
  readonly bytesRead: number;
  /**
   * End of the file with this batch, or the reason why it cannot be read further; null: more
   * follows.
   */
  readonly ended: { readonly cutOff: string | null } | null;
}

/** A second's work: what an interrupted import does again at most, and others wait for. */
const LINES_IN_A_TRANSACTION = 10_000;
/** Text of its lines, so that memory does not grow with their length. */
const CHARACTERS_IN_A_TRANSACTION = 3_000_000;
/** Greatest factor by which a batch grows to keep lines of one instant together. */
const MOST_TIMES = 3;

const parse = (text: string): FileRecord['parsed'] => {
  try {
    const value = parseJson(text);
    return isObject(value)
      ? { line: value }
      : { problem: `expected a JSON object, got ${shortly(value, 40)}` };
  } catch (error) {
    return { problem: `not JSON: ${messageOf(error)}` };
  }
};

async function* ndjsonRecords(
  { path, resumedAt }: ImportSource,
  signal?: AbortSignal,
): AsyncGenerator<RecordChunk> {
  let line = 0;
  for await (const { lines, bytesRead } of ndjsonLines(path, signal)) {
    const records: FileRecord[] = [];
    for (const text of lines) {
      line += 1;
      if (line > resumedAt && text.trim() !== '') records.push({ line, text, parsed: parse(text) });
    }
    yield { records, throughLine: line, bytesRead };
  }
}

/** The lines of one file, gathered to batches. */
class Gathering {
  readonly #kind: ImportKind;
  /** Asked only for ids without a prefix; files of videos are loaded before those of snapshots. */
  readonly #knownPlatform: KnownPlatform;
  #batch: ImportBatch;
  #lines = 0;
  #characters = 0;
  #refused: RefusedLine[] = [];
  #lastAt: unknown;

  constructor(kind: ImportKind, knownPlatform: KnownPlatform) {
    this.#kind = kind;
    this.#knownPlatform = knownPlatform;
    this.#batch = new ImportBatch(knownPlatform);
  }

  /**
   * True if the batch is full before a line joins it. Lines of one instant stay together, so that
   * two different ones merge alike in every import of the file; an unreadable line separates none.
   */
  #isFullBefore(line: JsonObject | undefined): boolean {
    const sameInstant = line === undefined || (line.at !== undefined && line.at === this.#lastAt);
    if (line !== undefined) this.#lastAt = line.at;
    const fullness = Math.max(
      this.#lines / LINES_IN_A_TRANSACTION,
      this.#characters / CHARACTERS_IN_A_TRANSACTION,
    );
    return fullness >= (sameInstant ? MOST_TIMES : 1);
  }

  /** Takes a line in. @returns what was gathered before it, where that is a batch */
  take({ text, line, parsed }: FileRecord, bytesRead: number): FileBatch | undefined {
    const isFull = this.#isFullBefore('line' in parsed ? parsed.line : undefined);
    const full = isFull ? this.given(line - 1, bytesRead, null) : undefined;
    this.#lines += 1;
    this.#characters += text.length;
    const problem = 'problem' in parsed ? parsed.problem : this.#batch.add(this.#kind, parsed.line);
    if (problem !== undefined) this.#refused.push({ line, problem, text });
    return full;
  }

  /** Returns the collected lines and starts again. */
  given(throughLine: number, bytesRead: number, ended: FileBatch['ended']): FileBatch {
    const columns = importColumns(this.#batch.rows());
    const batch = { columns, refused: this.#refused, throughLine, bytesRead, ended };
    this.#batch = new ImportBatch(this.#knownPlatform);
    this.#lines = 0;
    this.#characters = 0;
    this.#refused = [];
    return batch;
  }
}

/**
 * Reads a file, checks its lines and gathers them to batches, the last of which says how the file
 * ended. Writes nothing.
 */
export async function* fileBatches(
  source: ImportSource,
  knownPlatform: KnownPlatform,
  signal?: AbortSignal,
): AsyncGenerator<FileBatch> {
  const gathering = new Gathering(source.kind, knownPlatform);
  let line = source.resumedAt;
  let bytes = 0;
  try {
    const chunks = isCsv(source.path) ? csvRecords(source, signal) : ndjsonRecords(source, signal);
    for await (const { records, throughLine, bytesRead } of chunks) {
      bytes = bytesRead;
      for (const record of records) {
        if (record.line <= source.resumedAt) continue;
        const full = gathering.take(record, bytesRead);
        if (full !== undefined) yield full;
      }
      line = Math.max(line, throughLine);
    }
  } catch (error) {
    if (!(error instanceof FileReadError)) throw error;
    yield gathering.given(line, bytes, { cutOff: error.message });
    return;
  }
  yield gathering.given(line, bytes, { cutOff: null });
}
