import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { makeOwnFile, OWN_FOLDER } from '../../base/data-dir/own-files.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import type { Lake } from '../../lake/open.ts';
import { exportedLines } from './exported-lines.ts';
import { IMPORT_KINDS, type ImportKind } from './import-records.ts';

/** Result of an NDJSON export. */
export interface NdjsonSummary {
  readonly folder: string;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  /** Lines by kind. */
  readonly kinds: Readonly<Record<ImportKind, number>>;
  readonly durationMs: number;
}

interface NdjsonOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress: (kind: ImportKind, lines: number) => void;
}

const CHUNK_CHARACTERS = 256 * 1024;

function* chunksOf(lines: Iterable<string>, count: (lines: number) => void): Generator<string> {
  let chunk: string[] = [];
  let characters = 0;
  let sum = 0;
  for (const line of lines) {
    chunk.push(line);
    sum += 1;
    characters += line.length;
    if (characters < CHUNK_CHARACTERS) continue;
    count(sum);
    yield `${chunk.join('\n')}\n`;
    chunk = [];
    characters = 0;
  }
  count(sum);
  if (chunk.length > 0) yield `${chunk.join('\n')}\n`;
}

/**
 * Writes one state of the lake to `<folder>/<kind>.ndjson.gz`, for `importPaths`. The files appear when all
 * are written.
 * @param lake a separate connection
 * @throws UsageError if the folder is not writable
 */
export const exportNdjson = async (
  lake: Lake,
  folder: string,
  { clock, signal, onProgress }: NdjsonOptions,
): Promise<NdjsonSummary> => {
  const startedAt = clock.monotonic();
  const kinds = { videos: 0, snapshots: 0, hashtags: 0, creators: 0 };
  const paths = IMPORT_KINDS.map((kind) => ({ kind, path: join(folder, `${kind}.ndjson.gz`) }));
  try {
    mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
    lake.sqlite.exec('begin');
    for (const { kind, path } of paths) {
      makeOwnFile(`${path}.new`);
      const chunks = chunksOf(exportedLines[kind](lake.sqlite), (lines) => {
        kinds[kind] = lines;
        onProgress(kind, lines);
      });
      const file = createWriteStream(`${path}.new`);
      await pipeline(Readable.from(chunks), createGzip({ level: 4 }), file, { signal });
    }
    for (const { path } of paths) renameSync(`${path}.new`, path);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new UsageError(
        `${folder} cannot be written: ${messageOf(error)}. Nothing was exported. Choose another folder.`,
      );
    throw error;
  } finally {
    if (lake.sqlite.inTransaction) lake.sqlite.exec('commit');
    for (const { path } of paths) if (existsSync(`${path}.new`)) rmSync(`${path}.new`);
  }
  const bytes = paths.reduce((sum, { path }) => sum + statSync(path).size, 0);
  const rows = Object.values(kinds).reduce((sum, lines) => sum + lines, 0);
  const durationMs = Math.round(clock.monotonic() - startedAt);
  return { folder, files: paths.length, rows, bytes, kinds, durationMs };
};
