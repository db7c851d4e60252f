import type Database from 'better-sqlite3';
import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';
import { LakeError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { SCHEMA_VERSION } from '../../lake/migrate.ts';
import { prepare } from '../../lake/prepare.ts';
import { ChangedFolders, type Disk, explaining } from './install-file.ts';
import { type InstalledPartition, PartitionInstaller } from './install-partition.ts';
import { removeStrays, removeTemporaries } from './leftovers.ts';
import {
  type ExportedLake,
  type Manifest,
  type ManifestFile,
  readManifest,
  refuseFolderOfOther,
  showsLake,
  stands,
  writeManifest,
} from './manifest.ts';
import type { ParquetTable } from './parquet-tables.ts';
import {
  allPartitions,
  dividedPartitions,
  emptyPartition,
  type Partition,
  partitionAt,
  partitionOf,
  pathOf,
} from './partitions.ts';

/** A partition marked as changed, with the version this export read. */
export interface Touch {
  readonly table: string;
  readonly date: string;
  readonly version: number;
}

export interface PartitionsExport {
  readonly written: ManifestFile[];
  /** Paths of removed files, whose partitions have no rows. */
  readonly removed: string[];
  /** Touched partitions whose rows are the same as in their file. */
  readonly unchanged: number;
  /** Partitions that can be unmarked. */
  readonly exported: Touch[];
}

/** Signal and progress of an export. */
export interface ExportWatch {
  /** Called between chunks of rows. Throws to stop; a promise lets other work run. */
  readonly checkStop: () => Promise<void> | undefined;
  readonly onFile: (done: number, of: number) => void;
}

export interface PartitionsDeps extends ExportWatch {
  /** A separate connection for reading. */
  readonly sqlite: Database.Database;
  /** Folder of the files. */
  readonly folder: string;
  readonly lake: ExportedLake;
  readonly tables: readonly ParquetTable[];
  readonly codec: ParquetCodec;
  readonly full: boolean;
  /** ISO 8601; goes into the manifest when a file changes. */
  readonly exportedAt: string;
  readonly disk: Disk;
}

const touchesOf = ({ sqlite }: PartitionsDeps): Touch[] =>
  prepare(sqlite, 'select table_name as "table", date, version from touched_partitions', {
    table: 'text',
    date: 'text',
    version: 'number',
  }).all();

/** Manifest to continue from; undefined if every file is rewritten. */
const knownManifest = ({ folder, full, codec, lake }: PartitionsDeps): Manifest | undefined => {
  if (full) return undefined;
  const manifest = readManifest(folder, SCHEMA_VERSION);
  return manifest?.codec === codec && showsLake(manifest, lake) ? manifest : undefined;
};

/** Files whose subjects are in other files now, because they grew older or the table grew. */
const dividedOtherwise = (
  { sqlite, tables }: PartitionsDeps,
  known: readonly ManifestFile[],
): Set<string> => {
  const current = dividedPartitions(sqlite, tables);
  const divided = new Set(current.map(({ table }) => table.name));
  const paths = new Set(current.map(pathOf));
  const others = known.filter(
    ({ path, table, rows }) => divided.has(table) && rows > 0 && !paths.has(path),
  );
  return new Set(others.map(({ path }) => path));
};

/** Partitions to write: all, or touched ones and those whose file differs from the manifest. */
const partitionsToWrite = (
  { sqlite, folder, tables }: PartitionsDeps,
  touches: readonly Touch[],
  known: readonly ManifestFile[] | undefined,
): Partition[] => {
  if (known === undefined) return allPartitions(sqlite, tables);
  const paths = new Set(known.map(({ path }) => path));
  const found = [
    ...touches.map(({ table, date }) => partitionOf(sqlite, tables, table, date)),
    ...known.filter((file) => !stands(folder, file)).map(({ path }) => partitionAt(tables, path)),
    ...dividedPartitions(sqlite, tables).filter((partition) => !paths.has(pathOf(partition))),
  ];
  const byPath = new Map(
    found.flatMap((partition) => (partition === undefined ? [] : [[pathOf(partition), partition]])),
  );
  return [...byPath].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, partition]) => partition);
};

/** The files of one export while they are written, by path. */
class FilesUnderway {
  readonly #deps: PartitionsDeps;
  readonly #installer: PartitionInstaller;
  readonly files: Map<string, ManifestFile>;
  readonly written: ManifestFile[] = [];
  unchanged = 0;
  dropped = 0;

  constructor(deps: PartitionsDeps, folders: ChangedFolders, known: readonly ManifestFile[]) {
    this.#deps = deps;
    this.#installer = new PartitionInstaller({ ...deps, folders });
    this.files = new Map(known.map((file) => [file.path, file]));
  }

  /** Updates the files of partitions. @throws the first failure, after all work ended */
  async write(partitions: readonly Partition[]): Promise<void> {
    let done = 0;
    await this.#bring(partitions, false, () => this.#deps.onFile(++done, partitions.length));
  }

  async #bring(
    partitions: readonly Partition[],
    evenEmpty: boolean,
    onFile: () => void = () => {},
  ): Promise<void> {
    const orders = partitions.map((partition) => {
      const path = pathOf(partition);
      const before = this.files.get(path);
      const shows = before?.rows === 0 && path === pathOf(emptyPartition(partition.table));
      return { partition, before, evenEmpty: evenEmpty || shows };
    });
    await this.#installer.install(orders, (installed, { partition }) => {
      this.#note(pathOf(partition), installed);
      onFile();
    });
  }

  #note(path: string, { file, written }: InstalledPartition): void {
    if (file === undefined) this.#drop(path);
    else this.files.set(path, file);
    if (written && file !== undefined) this.written.push(file);
    else if (file !== undefined) this.unchanged += 1;
  }

  #drop(path: string): void {
    if (this.files.delete(path)) this.dropped += 1;
  }

  /** Writes a file with the columns of each table without rows. Removes it once there are rows. */
  async showEmptyTables(): Promise<void> {
    const missing: Partition[] = [];
    for (const table of this.#deps.tables) {
      const empty = emptyPartition(table);
      const path = pathOf(empty);
      const others = [...this.files.values()].filter(
        (file) => file.table === table.name && file.rows > 0,
      );
      if (others.length === 0 && !this.files.has(path)) missing.push(empty);
      else if (others.length > 0 && this.files.get(path)?.rows === 0) this.#drop(path);
    }
    await this.#bring(missing, true);
  }
}

const writeAll = async (deps: PartitionsDeps): Promise<PartitionsExport> => {
  const { folder, lake, tables, codec, exportedAt } = deps;
  refuseFolderOfOther(folder, lake);
  const touches = touchesOf(deps);
  const manifest = knownManifest(deps);
  const outdated = dividedOtherwise(deps, manifest?.files ?? []);
  const known = manifest?.files.filter(({ path }) => !outdated.has(path));
  const folders = new ChangedFolders();
  const underway = new FilesUnderway(deps, folders, known ?? []);
  await underway.write(partitionsToWrite(deps, touches, known));
  await underway.showEmptyTables();
  await folders.flush();
  const { files, written, unchanged, dropped } = underway;
  if (manifest?.lakeId === undefined || written.length > 0 || dropped + outdated.size > 0)
    await writeManifest(
      folder,
      { schemaVersion: SCHEMA_VERSION, codec, ...lake, exportedAt, files: [...files.values()] },
      deps.disk,
    );
  return {
    written,
    unchanged,
    removed: removeStrays(folder, tables, new Set(files.keys())),
    exported: touches,
  };
};

/**
 * Updates the Parquet files of a lake to one instant of it. Reads all tables in one transaction, which
 * does not block writers. Call it with the lock of the export. After unmarking, a second run writes
 * nothing.
 * @throws LakeError if a file cannot be written. Earlier files are untouched
 */
export const exportPartitions = async (deps: PartitionsDeps): Promise<PartitionsExport> => {
  const { sqlite, folder, tables } = deps;
  await explaining(folder, () => removeTemporaries(folder, tables));
  // sorts large partitions in a temporary file instead of memory
  sqlite.pragma('temp_store = FILE');
  // rows are read in storage order, or once: a larger cache saves nothing
  sqlite.pragma('cache_size = -4096');
  sqlite.pragma('mmap_size = 0');
  sqlite.exec('begin');
  try {
    return await explaining(folder, () => writeAll(deps));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL')
      throw new LakeError(
        `Sorting rows for ${folder} needs room in the temporary folder, and its disk is full. Make room there (or point SQLITE_TMPDIR elsewhere) and run \`${commandText('export')}\` again.`,
        { cause: error, transient: true },
      );
    throw error;
  } finally {
    if (sqlite.inTransaction) sqlite.exec('commit'); // a full or failing disk ended it
  }
};
