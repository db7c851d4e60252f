import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { syncLake } from '../../lake/durability.ts';
import type { Lake } from '../../lake/open.ts';
import { refreshSearchInTurns } from '../../lake/search/search-index.ts';
import { noRows } from '../writers/tally.ts';
import { isCsv } from './csv-records.ts';
import { FileImport, type ImportDeps, type ImportSummary, readable } from './import-file.ts';
import { importReader } from './import-reader.ts';
import { IMPORT_KINDS, type ImportKind } from './import-records.ts';

interface ImportFile {
  path: string;
  kind: ImportKind;
}

const kindOf = (path: string): ImportKind | undefined =>
  IMPORT_KINDS.find((kind) =>
    new RegExp(`(^|[^a-z])${kind}[^/]*\\.(ndjson|jsonl|csv)(\\.gz)?$`, 'i').test(basename(path)),
  );

const ENDINGS = ['.ndjson', '.ndjson.gz', '.csv', '.csv.gz'];

/** @throws UsageError for a link that leads out of the folder */
const refuseLinkOut = (folder: string, path: string): void => {
  const target = realpathSync(path);
  if (target.startsWith(realpathSync(folder) + sep)) return;
  throw new UsageError(
    `${path} is a link to ${target}, outside the folder. Nothing was imported. Name that file itself if you want it imported.`,
  );
};

/**
 * Files to import in loading order. A folder means the known files in it.
 * @throws UsageError before anything is read
 */
const filesOf = (paths: readonly string[], cwd: string): ImportFile[] => {
  const expected = `${IMPORT_KINDS.map((kind) => `${kind}.ndjson[.gz]`).join(', ')}, or .csv[.gz]`;
  const files = paths.flatMap((given): ImportFile[] => {
    const path = resolve(cwd, given);
    if (!existsSync(path))
      throw new UsageError(`${path} does not exist. Expected a folder or a file: ${expected}.`);
    const stats = statSync(path);
    if (!stats.isDirectory() && !stats.isFile())
      throw new UsageError(
        `${path} is not a regular file. An import reads files, so that it can resume where it stopped. Write the data of a pipe or device to a file first.`,
      );
    if (stats.isDirectory()) {
      const names = readable(path, () => readdirSync(path));
      const found = IMPORT_KINDS.flatMap((kind) =>
        names
          .filter((name) => ENDINGS.some((ending) => name === kind + ending))
          .map((name) => ({ path: join(path, name), kind })),
      ).filter((file) => statSync(file.path, { throwIfNoEntry: false })?.isFile() === true);
      for (const file of found) refuseLinkOut(path, file.path);
      if (found.length === 0)
        throw new UsageError(`${path} holds nothing to import. Expected any of ${expected}.`);
      return found;
    }
    const kind = kindOf(path);
    if (kind === undefined)
      throw new UsageError(
        `The name of ${path} does not say what it holds. Rename it to one of ${expected}.`,
      );
    return [{ path, kind }];
  });
  return files.sort((a, b) => IMPORT_KINDS.indexOf(a.kind) - IMPORT_KINDS.indexOf(b.kind));
};

/**
 * Imports NDJSON and CSV files or folders of them. An interrupted import resumes where it stopped. A
 * repeated one changes nothing. Rejected lines go to `rejected_items` with file and line number.
 * @throws UsageError if a path has nothing to import
 */
export const importPaths = async (
  lake: Lake,
  paths: readonly string[],
  cwd: string,
  deps: ImportDeps,
): Promise<ImportSummary> => {
  const summary: ImportSummary = {
    outcome: 'complete',
    files: [],
    rows: noRows(),
    rejected: 0,
    problems: [],
  };
  const files = filesOf(paths, cwd);
  if (Object.keys(deps.map ?? {}).length > 0 && !files.some(({ path }) => isCsv(path)))
    throw new UsageError(
      '--map names columns of CSV files, but no file is CSV. Nothing was imported. Leave --map out, or rename the fields of the NDJSON.',
    );
  const bytes = files.reduce((sum, { path }) => sum + statSync(path).size, 0);
  const reader = importReader(lake, bytes, deps.threadFromBytes);
  try {
    for (const file of files) await new FileImport(lake, file, summary, deps).run(reader);
  } finally {
    await reader.close();
  }
  await refreshSearchInTurns(lake, deps.signal);
  syncLake(lake);
  return summary;
};
