import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { statement } from '../../lake/statements.ts';
import { erasedText } from '../responses/erase-json.ts';
import { forgetRejected, keepRejected } from '../writers/rejected-items.ts';
import { addRows, type LoadCounts } from '../writers/tally.ts';
import type { ColumnMap } from './csv-records.ts';
import type { FileBatch } from './import-batches.ts';
import type { ImportReader } from './import-reader.ts';
import type { ImportKind } from './import-records.ts';
import { loadObservations } from './observations.ts';

/** A rejected line, or the line at which a file became unreadable. */
export interface ImportProblem {
  file: string;
  line: number;
  problem: string;
}

/** Result of an import. `problems` has the first hundred; `rejected` counts all lines. */
export interface ImportSummary {
  outcome: 'complete' | 'partial';
  files: { file: string; kind: ImportKind; lines: number; resumedAt: number; rejected: number }[];
  rows: LoadCounts;
  rejected: number;
  problems: ImportProblem[];
}

/** Progress of one file. */
export interface ImportProgress {
  file: string;
  lines: number;
  bytesRead: number;
  bytesTotal: number;
}

export interface ImportDeps {
  clock: Clock;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Total size in bytes from which files are read in a thread. */
  threadFromBytes?: number;
  /** Columns of CSV files under other names. */
  map?: ColumnMap;
}

const PROBLEMS_KEPT = 100;
const HEAD_BYTES = 64 * 1024;

/**
 * Reads a file or folder that a user named.
 * @throws UsageError if the system refuses
 */
export const readable = <T>(path: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw new UsageError(
      `${path} cannot be read: ${messageOf(error)}. Nothing of it was imported. Make it readable and import it again.`,
    );
  }
};

/** Distinguishes files of one name: size and hash of the first 64 KiB. */
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

/** The first and the last instant; nulls without any. */
const spanOf = (
  snapshots: readonly { at: number }[],
): [oldest: number | null, newest: number | null] =>
  snapshots.reduce<[number | null, number | null]>(
    ([oldest, newest], { at }) => [Math.min(oldest ?? at, at), Math.max(newest ?? at, at)],
    [null, null],
  );

/** Imports one file, some thousand lines a transaction, and resumes an interrupted import of it. */
export class FileImport {
  readonly #lake: Lake;
  readonly #path: string;
  readonly #kind: ImportKind;
  readonly #summary: ImportSummary;
  readonly #deps: ImportDeps;
  readonly #bytesTotal: number;
  readonly #fingerprint: string;
  readonly #file: ImportSummary['files'][number];
  /** True if an earlier import of this path rejected lines, which may be accepted now. */
  readonly #refusedBefore: boolean;

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
    this.#bytesTotal = readable(path, () => statSync(path).size);
    const columns = Object.entries(deps.map ?? {}).map((pair) => `-${pair.join('=')}`);
    this.#fingerprint =
      readable(path, () => fingerprintOf(path, this.#bytesTotal)) + columns.join('');
    const resumedAt = this.#resumePoint();
    this.#file = { file: path, kind, lines: resumedAt, resumedAt, rejected: 0 };
    summary.files.push(this.#file);
    this.#refusedBefore =
      lake.sqlite
        .prepare('select 1 from rejected_items where origin >= ? and origin < ? limit 1')
        .get(`${path}:`, `${path};`) !== undefined;
  }

  /** Lines committed by an interrupted import of the same content. */
  #resumePoint(): number {
    const row = prepare(
      this.#lake.sqlite,
      'select lines from import_progress where path = ? and fingerprint = ? and finished_at is null',
      { lines: 'number' },
    ).get(this.#path, this.#fingerprint);
    return row?.lines ?? 0;
  }

  /** Loads the file. Rejected lines are in the summary, not thrown. */
  async run(reader: ImportReader): Promise<void> {
    const { signal, onProgress } = this.#deps;
    const { resumedAt } = this.#file;
    const { map = {} } = this.#deps;
    const source = { path: this.#path, kind: this.#kind, resumedAt, map };
    for await (const batch of reader.batches(source, signal)) {
      this.#commit(batch);
      const { throughLine: lines, bytesRead } = batch;
      onProgress?.({ file: this.#path, lines, bytesRead, bytesTotal: this.#bytesTotal });
    }
  }

  #report(line: number, problem: string): void {
    this.#summary.outcome = 'partial';
    if (this.#summary.problems.length < PROBLEMS_KEPT)
      this.#summary.problems.push({ file: this.#path, line, problem });
  }

  /** Stores rejected lines, and removes former rejections of lines that are accepted now. */
  #keepRefused({ refused, throughLine }: FileBatch): void {
    const seenAt = this.#deps.clock.now();
    for (const { line, problem, text } of refused) {
      const origin = `${this.#path}:${line}`;
      const item = erasedText(text, { subjects: erasedOf(this.#lake) });
      keepRejected(this.#lake, { origin }, { reason: problem, item, seenAt });
    }
    if (!this.#refusedBefore) return;
    const now = new Set(refused.map(({ line }) => line));
    for (let line = this.#file.lines + 1; line <= throughLine; line += 1)
      if (!now.has(line)) forgetRejected(this.#lake, { origin: `${this.#path}:${line}` });
  }

  #commit(batch: FileBatch): void {
    const { observations, refused, throughLine, ended } = batch;
    const finishedAt = ended?.cutOff === null ? this.#deps.clock.now() : null;
    const within = (): void => {
      this.#keepRefused(batch);
      statement(
        this.#lake,
        `insert into import_progress (path, fingerprint, lines, finished_at, oldest_at, newest_at)
         values (?, ?, ?, ?, ?, ?)
         on conflict (path) do update set fingerprint = excluded.fingerprint,
           lines = excluded.lines, finished_at = excluded.finished_at,
           oldest_at = coalesce(min(oldest_at, excluded.oldest_at), oldest_at, excluded.oldest_at),
           newest_at = coalesce(max(newest_at, excluded.newest_at), newest_at, excluded.newest_at)`,
      ).run(
        this.#path,
        this.#fingerprint,
        throughLine,
        finishedAt,
        ...spanOf(observations.snapshots),
      );
    };
    const collectedAt = this.#deps.clock.now();
    const counts = loadObservations(this.#lake, observations, within, collectedAt);
    addRows(this.#summary.rows, counts);
    this.#file.lines = throughLine;
    this.#file.rejected += refused.length;
    this.#summary.rejected += refused.length;
    for (const { line, problem } of refused) this.#report(line, problem);
    if (ended !== null && ended.cutOff !== null)
      this.#report(
        throughLine + 1,
        throughLine === 0
          ? `${ended.cutOff}. Nothing was loaded`
          : `${ended.cutOff}; the ${throughLine} lines before are loaded. Fetch the file again and import it: nothing is loaded twice`,
      );
  }
}
