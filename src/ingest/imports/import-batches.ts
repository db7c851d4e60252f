import type Database from 'better-sqlite3';
import { messageOf } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { parseJson, shortly } from '../../base/wire/fields.ts';
import { prepare } from '../../lake/prepare.ts';
import {
  type ColumnMap,
  csvRecords,
  type FileRecord,
  isCsv,
  type RecordChunk,
} from './csv-records.ts';
import { ImportBatch, type ImportKind, type KnownPlatform } from './import-records.ts';
import { FileReadError, ndjsonLines } from './ndjson-lines.ts';
import type { Observations } from './observations.ts';

/** Looks up platforms of videos in a lake, by any connection to it. */
export const knownPlatformIn = (sqlite: Database.Database): KnownPlatform => {
  const find = prepare(sqlite, 'select platform from video where id = ?', 'platform');
  return (id) => find.get(id);
};

/** A file to read, from a line on. */
export interface ImportSource {
  readonly path: string;
  readonly kind: ImportKind;
  /** Lines loaded by an interrupted import of the file. */
  readonly resumedAt: number;
  /** Columns of CSV files under other names. */
  readonly map?: ColumnMap;
}

/** A rejected line. */
interface RefusedLine {
  readonly line: number;
  readonly problem: string;
  readonly text: string;
}

/** Lines of one transaction of an import. */
export interface FileBatch {
  readonly observations: Observations;
  readonly refused: readonly RefusedLine[];
  /** Last line of this batch. */
  readonly throughLine: number;
  /** Bytes of the (compressed) file read so far. */
  readonly bytesRead: number;
  /** Set in the last batch; `cutOff` is the reason if the file could not be read to its end. */
  readonly ended: { readonly cutOff: string | null } | null;
}

/** About a second of work. An interrupted import repeats at most this much, and other writers wait for it. */
const LINES_IN_A_TRANSACTION = 10_000;
/** Limits memory. */
const CHARACTERS_IN_A_TRANSACTION = 3_000_000;
/** A batch grows up to this factor to keep lines of one instant together. */
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

/** Collects lines of one file into batches. */
class Gathering {
  readonly #kind: ImportKind;
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
   * True if the batch is full before this line. Lines of one instant stay together, so that they merge the
   * same way in every import of the file.
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

  /** Adds a line. @returns the batch before it, if that is full */
  take({ text, line, parsed }: FileRecord, bytesRead: number): FileBatch | undefined {
    const isFull = this.#isFullBefore('line' in parsed ? parsed.line : undefined);
    const full = isFull ? this.given(line - 1, bytesRead, null) : undefined;
    this.#lines += 1;
    this.#characters += text.length;
    const problem = 'problem' in parsed ? parsed.problem : this.#batch.add(this.#kind, parsed.line);
    if (problem !== undefined) this.#refused.push({ line, problem, text });
    return full;
  }

  /** Returns the collected lines and starts a new batch. */
  given(throughLine: number, bytesRead: number, ended: FileBatch['ended']): FileBatch {
    const observations = this.#batch.observations();
    const batch = { observations, refused: this.#refused, throughLine, bytesRead, ended };
    this.#batch = new ImportBatch(this.#knownPlatform);
    this.#lines = 0;
    this.#characters = 0;
    this.#refused = [];
    return batch;
  }
}

/** Reads a file and checks its lines, in batches. Writes nothing. */
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
