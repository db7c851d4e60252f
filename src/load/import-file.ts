import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Platform } from '../../schema/vocabulary.ts';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import type { Lake } from '../lake/open.ts';
import { prepare } from '../lake/prepare.ts';
import { parseJson, shortly } from '../wire/fields.ts';
import { ImportBatch, type ImportKind, type KnownPlatform } from './import-records.ts';
import { FileReadError, ndjsonLines } from './ndjson-lines.ts';
import { loadObservations } from './observations.ts';
import { forgetRejected, keepRejected } from './rejected-items.ts';
import { addRows, type LoadCounts } from './tally.ts';

/** A line that could not be kept, or where a file could not be read on. */
export interface ImportProblem {
  file: string;
  line: number;
  problem: string;
}

/** What an import did. `problems` holds the first hundred; `rejected` counts all lines. */
export interface ImportSummary {
  outcome: 'complete' | 'partial';
  files: { file: string; kind: ImportKind; lines: number; resumedAt: number; rejected: number }[];
  rows: LoadCounts;
  rejected: number;
  problems: ImportProblem[];
}

/** How far one file has been read. */
export interface ImportProgress {
  file: string;
  lines: number;
  bytesRead: number;
  bytesTotal: number;
}

export interface ImportDeps {
  clock: Clock;
  signal?: AbortSignal;
  onProgress?: (progress: ImportProgress) => void;
}

/** A second's work: what an interrupted import does again at most, and others wait for. */
const LINES_IN_A_TRANSACTION = 10_000;
const PROBLEMS_KEPT = 100;
const HEAD_BYTES = 64 * 1024;

/** Tells a file from another of the same name: its size and the hash of its first 64 KiB. */
const fingerprintOf = (path: string, size: number): string => {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    const bytes = readSync(file, head, 0, head.length, 0);
    const hash = createHash('sha256').update(head.subarray(0, bytes)).digest('hex');
    return `${size}-${hash.slice(0, 16)}`;
  } finally {
    closeSync(file);
  }
};

const parse = (text: string): { line: JsonObject } | { problem: string } => {
  try {
    const value = parseJson(text);
    return isObject(value)
      ? { line: value }
      : { problem: `expected a JSON object, got ${shortly(value, 40)}` };
  } catch (error) {
    return { problem: `not JSON: ${messageOf(error)}` };
  }
};

/**
 * The import of one file: some thousand lines a transaction, each with how far it has come, so that
 * an interrupted import of the same file goes on there.
 */
export class FileImport {
  readonly #lake: Lake;
  readonly #path: string;
  readonly #kind: ImportKind;
  readonly #summary: ImportSummary;
  readonly #deps: ImportDeps;
  readonly #bytesTotal: number;
  readonly #fingerprint: string;
  readonly #file: ImportSummary['files'][number];
  /** Asked only for ids without a prefix; files of videos are loaded before those of snapshots. */
  readonly #knownPlatform: KnownPlatform;
  /** Whether an earlier import of this path refused lines, which may be kept this time. */
  readonly #refusedBefore: boolean;
  #batch: ImportBatch;
  #batchLines = 0;
  #lastAt: unknown;
  #lineNumber = 0;
  #refused: { line: number; problem: string; text: string }[] = [];

  constructor(
    lake: Lake,
    { path, kind }: { path: string; kind: ImportKind },
    summary: ImportSummary,
    deps: ImportDeps,
  ) {
    this.#lake = lake;
    this.#path = path;
    this.#kind = kind;
    this.#summary = summary;
    this.#deps = deps;
    this.#bytesTotal = statSync(path).size;
    this.#fingerprint = fingerprintOf(path, this.#bytesTotal);
    const resumedAt = this.#resumePoint();
    this.#file = { file: path, kind, lines: resumedAt, resumedAt, rejected: 0 };
    summary.files.push(this.#file);
    const platformOf = prepare<Platform>(
      lake.sqlite,
      'select platform from video where id = ?',
      'text',
    );
    this.#knownPlatform = (id) => platformOf.get(id);
    this.#batch = new ImportBatch(this.#knownPlatform);
    this.#refusedBefore =
      lake.sqlite
        .prepare('select 1 from rejected_items where origin >= ? and origin < ? limit 1')
        .get(`${path}:`, `${path};`) !== undefined;
  }

  /** Lines that an interrupted import of this very file had committed. */
  #resumePoint(): number {
    const row = prepare(
      this.#lake.sqlite,
      'select lines from import_progress where path = ? and fingerprint = ? and finished_at is null',
      { lines: 'number' },
    ).get(this.#path, this.#fingerprint);
    return row?.lines ?? 0;
  }

  /** Reads the file to its end. What cannot be kept is in the summary, not thrown. */
  async run(): Promise<void> {
    const { clock, signal, onProgress } = this.#deps;
    try {
      for await (const { lines, bytesRead } of ndjsonLines(this.#path, signal)) {
        for (const text of lines) {
          this.#lineNumber += 1;
          if (this.#lineNumber > this.#file.resumedAt) this.#take(text);
        }
        const [file, bytesTotal] = [this.#path, this.#bytesTotal];
        onProgress?.({ file, lines: this.#lineNumber, bytesRead, bytesTotal });
      }
      this.#commit(clock.now());
    } catch (error) {
      if (!(error instanceof FileReadError)) throw error;
      this.#commit(null);
      this.#report(
        this.#lineNumber + 1,
        `${error.message}; the ${this.#lineNumber} lines before are loaded. Fetch the file again and import it: nothing is loaded twice`,
      );
    }
  }

  #take(text: string): void {
    if (text.trim() === '') return;
    const parsed = parse(text);
    if ('line' in parsed) this.#makeRoomFor(parsed.line);
    this.#batchLines += 1;
    const problem = 'problem' in parsed ? parsed.problem : this.#batch.add(this.#kind, parsed.line);
    if (problem === undefined) return;
    this.#refused.push({ line: this.#lineNumber, problem, text });
    this.#file.rejected += 1;
    this.#summary.rejected += 1;
    this.#report(this.#lineNumber, problem);
  }

  /**
   * Commits a full batch before a line joins it. Lines about one instant stay together, so that
   * two that differ merge alike in every import of the file.
   */
  #makeRoomFor(line: JsonObject): void {
    const full = this.#batchLines >= LINES_IN_A_TRANSACTION;
    const sameInstant = line.at !== undefined && line.at === this.#lastAt;
    if (full && (!sameInstant || this.#batchLines >= 3 * LINES_IN_A_TRANSACTION))
      this.#commit(null, this.#lineNumber - 1);
    this.#lastAt = line.at;
  }

  #report(line: number, problem: string): void {
    this.#summary.outcome = 'partial';
    if (this.#summary.problems.length < PROBLEMS_KEPT)
      this.#summary.problems.push({ file: this.#path, line, problem });
  }

  /** Lines that were refused once and are kept now are no rejected items any more. */
  #forgetRefusalsOf(from: number, through: number): void {
    const refused = new Set(this.#refused.map(({ line }) => line));
    for (let line = from; line <= through; line += 1)
      if (!refused.has(line)) forgetRejected(this.#lake, { origin: `${this.#path}:${line}` });
  }

  #commit(finishedAt: number | null, throughLine = this.#lineNumber): void {
    const { sqlite } = this.#lake;
    const counts = loadObservations(this.#lake, this.#batch.observations(), () => {
      const seenAt = this.#deps.clock.now();
      for (const { line, problem, text } of this.#refused) {
        const origin = `${this.#path}:${line}`;
        keepRejected(this.#lake, { origin }, { reason: problem, item: text, seenAt });
      }
      if (this.#refusedBefore) this.#forgetRefusalsOf(this.#file.lines + 1, throughLine);
      sqlite
        .prepare(`
          insert into import_progress (path, fingerprint, lines, finished_at) values (?, ?, ?, ?)
          on conflict (path) do update set fingerprint = excluded.fingerprint,
            lines = excluded.lines, finished_at = excluded.finished_at`)
        .run(this.#path, this.#fingerprint, throughLine, finishedAt);
    });
    addRows(this.#summary.rows, counts);
    this.#file.lines = throughLine;
    this.#batch = new ImportBatch(this.#knownPlatform);
    this.#batchLines = 0;
    this.#refused = [];
  }
}
