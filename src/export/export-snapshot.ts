import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { LakeError } from '../errors.ts';
import { SCHEMA_VERSION } from '../lake/migrate.ts';
import { checkFooter } from './footer.ts';
import { removeStrays, removeTemporaries } from './leftovers.ts';
import { type ManifestFile, readManifest, stands, writeManifest } from './manifest.ts';
import type { ParquetTable } from './parquet-tables.ts';
import {
  allPartitions,
  type Partition,
  partitionAt,
  partitionOf,
  pathOf,
  rowsOf,
} from './partitions.ts';
import {
  type Disk,
  explaining,
  fingerprintOf,
  type PlacedFile,
  prepareFile,
} from './place-file.ts';
import { writeParquet } from './write-parquet.ts';

/** A partition marked as changed, at the version this export saw. */
export interface Touch {
  readonly table: string;
  readonly date: string;
  readonly version: number;
}

export interface SnapshotExport {
  readonly written: ManifestFile[];
  /** Paths of files whose partition has no rows any more. */
  readonly removed: string[];
  /** Touched partitions whose rows turned out the same as in the file that stands. */
  readonly unchanged: number;
  /** What may be unmarked now. */
  readonly settled: Touch[];
}

export interface SnapshotDeps {
  /** A connection of its own, for reading. */
  readonly sqlite: Database.Database;
  /** Where the files go. */
  readonly folder: string;
  readonly tables: readonly ParquetTable[];
  readonly full: boolean;
  /** ISO 8601; goes into the manifest when a file changes. */
  readonly exportedAt: string;
  readonly disk: Disk;
  /** Called between chunks of rows; throws to stop. */
  readonly checkStop: () => void;
  readonly onFile: (done: number, of: number) => void;
}

const touchesOf = ({ sqlite }: SnapshotDeps): Touch[] =>
  sqlite
    .prepare('select table_name as "table", date, version from touched_partitions')
    .all() as Touch[];

/** The partitions to look at: all, or those touched and those whose file is not as the manifest says. */
const partitionsToWrite = (
  { sqlite, folder, tables }: SnapshotDeps,
  touches: readonly Touch[],
  known: readonly ManifestFile[] | undefined,
): Partition[] => {
  if (known === undefined) return allPartitions(sqlite, tables);
  const found = [
    ...touches.map(({ table, date }) => partitionOf(tables, table, date)),
    ...known.filter((file) => !stands(folder, file)).map(({ path }) => partitionAt(tables, path)),
  ];
  const byPath = new Map(
    found.flatMap((partition) => (partition === undefined ? [] : [[pathOf(partition), partition]])),
  );
  return [...byPath].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, partition]) => partition);
};

/** Whether the file on disk, and not only its line in the manifest, already is what was written. */
const standsAs = (folder: string, listed: ManifestFile, { sha256 }: PlacedFile): boolean =>
  listed.sha256 === sha256 &&
  stands(folder, listed) &&
  fingerprintOf(join(folder, listed.path)).sha256 === sha256;

/**
 * Writes one partition's file. Undefined when it has no rows; `before` itself when the file that
 * stands has the same bytes.
 */
const writePartition = (
  { sqlite, folder, disk, checkStop }: SnapshotDeps,
  partition: Partition,
  before: ManifestFile | undefined,
): ManifestFile | undefined => {
  checkStop();
  const { table, date } = partition;
  const path = pathOf(partition);
  const file = prepareFile(
    join(folder, path),
    (write) => writeParquet(table.columns, rowsOf(sqlite, partition), write, checkStop),
    disk,
  );
  try {
    if (file.filled === 0) return undefined;
    if (before !== undefined && standsAs(folder, before, file.placed)) return before;
    checkFooter(file.temporary, table.columns, file.filled);
    file.keep();
  } finally {
    file.drop();
  }
  return {
    path,
    table: table.name,
    date: date === '' ? null : date,
    rows: file.filled,
    ...file.placed,
    schemaVersion: SCHEMA_VERSION,
  };
};

const writeAll = (deps: SnapshotDeps): SnapshotExport => {
  const { folder, tables } = deps;
  const touches = touchesOf(deps);
  const known = deps.full ? undefined : readManifest(folder, SCHEMA_VERSION)?.files;
  const partitions = partitionsToWrite(deps, touches, known);
  const files = new Map((known ?? []).map((file) => [file.path, file]));
  const written: ManifestFile[] = [];
  let unchanged = 0;
  let dropped = 0;
  partitions.forEach((partition, index) => {
    const path = pathOf(partition);
    const before = files.get(path);
    const after = writePartition(deps, partition, before);
    if (after === undefined) dropped += files.delete(path) ? 1 : 0;
    else if (after === before) unchanged += 1;
    else written.push(after);
    if (after !== undefined) files.set(path, after);
    deps.onFile(index + 1, partitions.length);
  });
  if (known === undefined || written.length > 0 || dropped > 0)
    writeManifest(
      folder,
      { schemaVersion: SCHEMA_VERSION, exportedAt: deps.exportedAt, files: [...files.values()] },
      deps.disk,
    );
  return {
    written,
    unchanged,
    removed: removeStrays(folder, tables, new Set(files.keys())),
    settled: touches,
  };
};

/**
 * Brings the Parquet files of a lake up to date with one instant of it: every table is read in one
 * transaction, which a writer neither waits for nor changes. Call it with the export's lock held.
 * Running it twice writes nothing the second time, once what it settled is unmarked.
 * @throws LakeError when a file cannot be written; what stood before still stands
 */
export const exportSnapshot = (deps: SnapshotDeps): SnapshotExport => {
  const { sqlite, folder, tables } = deps;
  explaining(folder, () => removeTemporaries(folder, tables));
  // sorting a large partition goes to a temporary file instead of memory
  sqlite.pragma('temp_store = FILE');
  sqlite.pragma('cache_size = -32768');
  sqlite.exec('begin');
  try {
    return explaining(folder, () => writeAll(deps));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL')
      throw new LakeError(
        `Sorting rows for ${folder} needs room in the temporary folder, and its disk is full. Make room there (or point SQLITE_TMPDIR elsewhere) and run \`trendlake export\` again.`,
        { cause: error, transient: true },
      );
    throw error;
  } finally {
    sqlite.exec('commit');
  }
};
