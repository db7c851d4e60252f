import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { temporaryName } from './install-file.ts';
import type { ParquetTable } from './parquet-tables.ts';
import { partitionAt } from './partitions.ts';

const entriesOf = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return []; // missing, or no folder
  }
};

/** Removes temporary files of a killed export. Call it with the lock of the export. */
export const removeTemporaries = (folder: string, tables: readonly ParquetTable[]): void => {
  const folders = tables.flatMap(({ name }) => [
    name,
    ...entriesOf(join(folder, name))
      .filter((entry) => entry.startsWith('date='))
      .map((entry) => `${name}/${entry}`),
  ]);
  for (const within of folders)
    for (const entry of entriesOf(join(folder, within))) {
      const [, grown] = /^\.(.+)\.tmp$/.exec(entry) ?? [];
      if (grown === undefined || partitionAt(tables, `${within}/${grown}`) === undefined) continue;
      rmSync(join(folder, within, entry), { force: true });
    }
  rmSync(temporaryName(join(folder, 'manifest.json')), { force: true });
};

/**
 * Removes our files that the manifest does not name: of partitions that became empty, or of an export
 * killed before its manifest. Files with other names stay.
 * @returns the removed paths
 */
export const removeStrays = (
  folder: string,
  tables: readonly ParquetTable[],
  named: ReadonlySet<string>,
): string[] => {
  const removed: string[] = [];
  for (const { name, dateColumn } of tables) {
    const found =
      dateColumn === undefined
        ? entriesOf(join(folder, name)).map((entry) => `${name}/${entry}`)
        : entriesOf(join(folder, name)).map((entry) => `${name}/${entry}/${name}.parquet`);
    for (const path of found) {
      const partition = partitionAt(tables, path);
      if (partition === undefined || named.has(path)) continue;
      const entries = entriesOf(dirname(join(folder, path)));
      if (entries.includes(basename(path))) {
        rmSync(join(folder, path));
        removed.push(path);
      }
      if (dateColumn !== undefined) removeIfEmpty(dirname(join(folder, path)));
    }
  }
  return removed;
};

const removeIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch {
    // not empty
  }
};
