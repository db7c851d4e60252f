import { join } from 'node:path';
import type Database from 'better-sqlite3';
import PQueue from 'p-queue';
import { SCHEMA_VERSION } from '../lake/migrate.ts';
import type { ParquetCodec } from '../parquet-codecs.ts';
import { checkFooter } from './footer.ts';
import {
  type ChangedFolders,
  type Disk,
  fingerprintOf,
  type GrownFile,
  growFile,
  type InstalledFile,
} from './install-file.ts';
import { type ManifestFile, stands } from './manifest.ts';
import type { ParquetTable } from './parquet-tables.ts';
import { type Partition, pathOf, rowsOf } from './partitions.ts';
import { ParquetWriter } from './write-parquet.ts';

/** Files read and encoded at once: one is read while the pages of the other are compressed. */
const ENCODED_AT_ONCE = 2;
/** Files on their way to the disk at once: it keeps many almost as fast as one. */
const PLACED_AT_ONCE = 16;

export interface InstallerDeps {
  /** A connection of its own, for reading. */
  readonly sqlite: Database.Database;
  /** Where the files go. */
  readonly folder: string;
  readonly codec: ParquetCodec;
  readonly disk: Disk;
  readonly folders: ChangedFolders;
  /** Called between chunks of rows; throws to stop. */
  readonly checkStop: () => void;
}

/** What became of a partition: its line for the manifest, undefined where it has no file. */
export interface Placed {
  readonly file: ManifestFile | undefined;
  readonly written: boolean;
}

/** Writes partitions to their files, several at once. */
export class PartitionInstaller {
  readonly #deps: InstallerDeps;
  readonly #encoding = new PQueue({ concurrency: ENCODED_AT_ONCE });
  readonly #placing = new PQueue({ concurrency: PLACED_AT_ONCE });
  #failed = false;
  /** Writers of one table that are not at work. */
  #idle: { table: ParquetTable; writers: ParquetWriter[] } | undefined;

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
  }

  /**
   * Writes a partition's file, unless the one that stands (`before`) has the same bytes. Without rows
   * it has none, unless `evenEmpty`. Once one failed, all others do.
   * @throws LakeError when it cannot be written; what stood there still stands
   */
  place(
    partition: Partition,
    before: ManifestFile | undefined,
    { evenEmpty = false }: { evenEmpty?: boolean } = {},
  ): Promise<Placed> {
    return this.#placing.add(async () => {
      try {
        return await this.#installNow(partition, before, evenEmpty);
      } catch (error) {
        this.#failed = true;
        throw error;
      }
    });
  }

  async #installNow(
    partition: Partition,
    before: ManifestFile | undefined,
    evenEmpty: boolean,
  ): Promise<Placed> {
    const grown = await this.#encoding.add(() => this.#encode(partition));
    try {
      const rows = grown.filled;
      if (rows === 0 && !evenEmpty) return { file: undefined, written: false };
      if (before !== undefined && this.#standsAs(before, grown.placed))
        return { file: before, written: false };
      await grown.keep(() => checkFooter(grown.temporary, partition.table.columns, rows));
      const { table, date } = partition;
      return {
        file: {
          path: pathOf(partition),
          table: table.name,
          date: date === '' ? null : date,
          rows,
          ...grown.placed,
          schemaVersion: SCHEMA_VERSION,
        },
        written: true,
      };
    } finally {
      grown.drop();
    }
  }

  async #encode(partition: Partition): Promise<GrownFile<number>> {
    this.#checkStop();
    const { table } = partition;
    const { sqlite, folder, disk, folders, codec } = this.#deps;
    if (this.#idle?.table !== table) this.#idle = { table, writers: [] };
    const { writers } = this.#idle;
    const writer = writers.pop() ?? new ParquetWriter(table.columns, codec);
    const grown = await growFile(
      join(folder, pathOf(partition)),
      (write) => writer.write(rowsOf(sqlite, partition), write, () => this.#checkStop()),
      { disk, folders },
    );
    writers.push(writer);
    return grown;
  }

  #checkStop(): void {
    if (this.#failed) throw new Error('another file could not be written');
    this.#deps.checkStop();
  }

  /** Whether the file on disk, and not only its line in the manifest, already is what was written. */
  #standsAs(listed: ManifestFile, { sha256 }: InstalledFile): boolean {
    const { folder } = this.#deps;
    return (
      listed.sha256 === sha256 &&
      stands(folder, listed) &&
      fingerprintOf(join(folder, listed.path)).sha256 === sha256
    );
  }
}
