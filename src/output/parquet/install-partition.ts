import { join } from 'node:path';
import type Database from 'better-sqlite3';
import PQueue from 'p-queue';
import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';
import { SCHEMA_VERSION } from '../../lake/migrate.ts';
import { PageCompressor } from './codec.ts';
import { checkFooter } from './footer.ts';
import {
  type ChangedFolders,
  type Disk,
  fingerprintOf,
  GrowingFile,
  type GrownFile,
  type InstalledFile,
} from './install-file.ts';
import { type ManifestFile, stands } from './manifest.ts';
import type { ParquetTable } from './parquet-tables.ts';
import { PartitionReader } from './partition-reader.ts';
import { type Partition, pathOf } from './partitions.ts';
import { type PartitionReading, readingsOf } from './readings.ts';
import { ParquetWriter } from './write-parquet.ts';

/** Readings encoded at once. */
const ENCODED_AT_ONCE = 1;
/** Files synced to disk at once, which takes hardly longer than one. */
const PLACED_AT_ONCE = 16;

export interface InstallerDeps {
  /** A separate connection for reading. */
  readonly sqlite: Database.Database;
  /** Folder of the files. */
  readonly folder: string;
  readonly codec: ParquetCodec;
  readonly disk: Disk;
  readonly folders: ChangedFolders;
  /** Called between chunks of rows; throws to stop. */
  readonly checkStop: () => Promise<void> | undefined;
}

/** A written partition with its entry of the manifest; undefined without a file. */
export interface InstalledPartition {
  readonly file: ManifestFile | undefined;
  readonly written: boolean;
}

/** A partition to write, its current entry of the manifest, and if it gets a file without rows. */
export interface Order {
  readonly partition: Partition;
  readonly before: ManifestFile | undefined;
  readonly evenEmpty: boolean;
}

/** Waits for all. @throws the first failure */
const allEnded = async <T>(work: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(work);
  return await Promise.all(work);
};

/** An open file with its writer. */
interface OpenPartition {
  readonly partition: Partition;
  readonly file: GrowingFile;
  readonly writer: ParquetWriter;
  /** Returns the writer for the next file. */
  readonly giveBack: () => void;
}

/** Ends files one after another. Each is encoded while the previous one is compressed. */
const endAll = async (
  open: readonly OpenPartition[],
): Promise<Map<Partition, GrownFile<number>>> => {
  const grown = new Map<Partition, GrownFile<number>>();
  let ending = Promise.resolve();
  for (const { partition, file, writer, giveBack } of open) {
    const ended = writer.end().then((rows) => {
      grown.set(partition, file.grown(rows));
      giveBack();
    });
    ended.catch(() => {}); // handled where it is awaited
    await ending;
    ending = ended;
  }
  await ending;
  return grown;
};

/** Writes partitions to their files, several at once. */
export class PartitionInstaller {
  readonly #deps: InstallerDeps;
  readonly #encoding = new PQueue({ concurrency: ENCODED_AT_ONCE });
  readonly #reader: PartitionReader;
  readonly #compressor: PageCompressor;
  readonly #placing = new PQueue({ concurrency: PLACED_AT_ONCE });
  /** The first failure. */
  #failure: { readonly error: unknown } | undefined;
  /** Idle writers of one table. */
  #idle: { table: ParquetTable; writers: ParquetWriter[] } | undefined;

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
    this.#reader = new PartitionReader(deps.sqlite);
    this.#compressor = new PageCompressor(deps.codec);
  }

  /**
   * Writes the files of partitions, except files with the same bytes; calls `done` for each. A
   * partition without rows has no file, unless `evenEmpty`. After one failure all others fail.
   * @throws LakeError if one cannot be written. The old file is untouched
   */
  async install(
    orders: readonly Order[],
    done: (installed: InstalledPartition, order: Order) => void,
  ): Promise<void> {
    const byPartition = new Map(orders.map((order) => [order.partition, order]));
    const installed = async (partition: Partition, grown: GrownFile<number>): Promise<void> => {
      const order = byPartition.get(partition);
      if (order !== undefined) done(await this.#install(grown, order), order);
    };
    const readings = readingsOf(this.#deps.sqlite, [...byPartition.keys()]);
    await allEnded(
      readings.map(async (reading) => {
        const grown = await this.#encoding.add(async () => {
          await this.#placing.onSizeLessThan(1);
          return await this.#whileWell(() => this.#encode(reading));
        });
        await allEnded(
          [...grown].map(([partition, file]) =>
            this.#placing.add(() => this.#whileWell(() => installed(partition, file))),
          ),
        );
      }),
    );
  }

  /** Notes a failure, so that no other work starts. @throws the first failure */
  async #whileWell<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#failure ??= { error };
      throw this.#failure.error;
    }
  }

  async #install(
    grown: GrownFile<number>,
    { partition, before, evenEmpty }: Order,
  ): Promise<InstalledPartition> {
    try {
      const rows = grown.filled;
      if (rows === 0 && !evenEmpty) return { file: undefined, written: false };
      if (before !== undefined && this.#standsAs(before, grown.installed))
        return { file: before, written: false };
      await grown.keep(() => checkFooter(grown.temporary, partition.table.columns, rows));
      const { table, date } = partition;
      return {
        file: {
          path: pathOf(partition),
          table: table.name,
          date: date === '' ? null : date,
          rows,
          ...grown.installed,
          schemaVersion: SCHEMA_VERSION,
        },
        written: true,
      };
    } finally {
      grown.drop();
    }
  }

  /** Writes the files of a reading under temporary names. */
  async #encode(reading: PartitionReading): Promise<Map<Partition, GrownFile<number>>> {
    await this.#checkStop();
    const open: OpenPartition[] = [];
    try {
      for (const [nth, partition] of reading.partitions.entries())
        open.push(this.#begin(partition, reading.rows[nth]));
      await this.#reader.readTogether(reading, async (rows, nth) => {
        await this.#checkStop();
        const writer = open[nth]?.writer;
        writer?.add(rows);
        if (writer?.isFull) await writer.closeGroup();
      });
      return await endAll(open);
    } catch (error) {
      for (const { file } of open) file.drop();
      throw error;
    }
  }

  #begin(partition: Partition, rows?: number): OpenPartition {
    const { table } = partition;
    const { folder, disk, folders } = this.#deps;
    if (this.#idle?.table !== table) this.#idle = { table, writers: [] };
    const { writers } = this.#idle;
    const writer = writers.pop() ?? new ParquetWriter(table.columns, this.#compressor);
    const file = new GrowingFile(join(folder, pathOf(partition)), { disk, folders });
    const open = { partition, file, writer, giveBack: () => void writers.push(writer) };
    try {
      writer.begin(file.write, rows);
    } catch (error) {
      file.drop();
      throw error;
    }
    return open;
  }

  #checkStop(): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#deps.checkStop();
  }

  /** True if the file on disk and its entry of the manifest are the same. */
  #standsAs(listed: ManifestFile, { sha256 }: InstalledFile): boolean {
    const { folder } = this.#deps;
    return (
      listed.sha256 === sha256 &&
      stands(folder, listed) &&
      fingerprintOf(join(folder, listed.path)).sha256 === sha256
    );
  }
}
