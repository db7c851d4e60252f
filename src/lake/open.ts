import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { prepareDataFolder } from '../base/data-dir/data-folder.ts';
import { leftoversIn, refuseRemains, removeLeftovers } from '../base/data-dir/leftovers.ts';
import { closeToOthers, makeOwnFile } from '../base/data-dir/own-files.ts';
import { LakeError, UsageError } from '../base/errors.ts';
import { commandText } from '../base/installation.ts';
import { whileAlone } from './exclusive.ts';
import { lakeErrorOf } from './explain-error.ts';
import { refuseFormerLake, setFormerLakeAside } from './former-lake.ts';
import { INCREMENTAL } from './give-back.ts';
import { giveLakeId } from './meta.ts';
import { APPLICATION_ID, migrate, refuseStrangeSchema, SCHEMA_VERSION } from './migrate.ts';

/** File name of the lake inside its data directory. */
export const LAKE_FILE = 'trendlake.db';

const inodeOf = (path: string): bigint | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

/** An open lake: one connection, and objects that are made once for it. */
export class Lake implements Disposable {
  readonly path: string;
  readonly dataDir: string;
  readonly sqlite: Database.Database;
  readonly #inode: bigint | undefined;
  readonly #owned = new Map<new (lake: Lake) => unknown, unknown>();

  constructor(dataDir: string, sqlite: Database.Database) {
    this.path = join(dataDir, LAKE_FILE);
    this.dataDir = dataDir;
    this.sqlite = sqlite;
    this.#inode = inodeOf(this.path);
  }

  /**
   * True while the file at the lake's path is the one that was opened. SQLite goes on writing to a file
   * that was deleted or replaced, which nobody can read again.
   */
  get isThere(): boolean {
    return inodeOf(this.path) === this.#inode;
  }

  /** @throws LakeError once another file, or none, is at the lake's path */
  requireThere(): void {
    if (this.isThere) return;
    const happened =
      inodeOf(this.path) === undefined ? 'was deleted or moved' : 'was replaced, as by a restore,';
    throw new LakeError(
      `${this.path} ${happened} while this process had it open. Rows loaded since then are not in that place. Start again to work on the file that is there now.`,
    );
  }

  /** The one object of a class for this lake, such as its prepared statements; made when first asked for. */
  own<T>(of: new (lake: Lake) => T): T {
    const known = this.#owned.get(of);
    if (known instanceof of) return known;
    const owned = new of(this);
    this.#owned.set(of, owned);
    return owned;
  }

  close(): void {
    this.sqlite.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const HEADER_BYTES = 100;
/** Lock of making, migrating or exchanging a lake, and how long others wait for it (ms). */
export const MIGRATION = 'migration';
export const WAIT_MS = 10_000;

/** Files that this thread has read as lakes before: path, device and file. */
const known = new Set<string>();

/** The first bytes of a database file, read without opening it as one. */
const headerOf = (path: string): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
};

const noDatabase = (path: string): UsageError =>
  new UsageError(
    `${path} is not a SQLite database (damaged or another program's file). It was left as it is: \`${commandText('doctor --restore')}\` puts the newest backup in its place; or move it away.`,
  );

const refuseOthers = (path: string, applicationId: number): void => {
  if (applicationId !== APPLICATION_ID)
    throw new UsageError(
      `${path} is a SQLite database of another program (application id ${applicationId}, expected ${APPLICATION_ID}). It was left as it is: choose another folder with TRENDLAKE_DATA_DIR.`,
    );
};

/**
 * Refuses what is not a lake before SQLite touches it. Closing a file ends every lock that its process
 * holds on it (POSIX), so one that may be open here is read by SQLite alone: by another thread than the
 * first, or a second time. Without its locks another program takes the journal of a lake in use away.
 */
const refuseForeign = (path: string): void => {
  const file = statSync(path);
  const { dev, ino, size } = file;
  if (!file.isFile())
    throw new UsageError(`${path} is not a file. trendlake keeps its lake there; move it away.`);
  if (size === 0)
    throw new UsageError(
      `${path} is empty, which no lake ever is. \`${commandText('doctor --restore')}\` puts the newest backup in its place; remove it to start a new lake.`,
    );
  const names = [path, `${dev}:${ino}`];
  if (!isMainThread || names.some((name) => known.has(name))) return;
  const header = headerOf(path);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 16) !== 'SQLite format 3\0')
    throw noDatabase(path);
  refuseOthers(path, header.readUInt32BE(68));
  for (const name of names) known.add(name);
};

/** Refuses what is not a lake once SQLite has opened it; reads its first page, changes nothing. */
const refuseForeignDatabase = (sqlite: Database.Database, path: string): void => {
  try {
    refuseOthers(path, sqlite.pragma('application_id', { simple: true }) as number);
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_NOTADB')
      throw noDatabase(path);
    throw error;
  }
};

const configure = (sqlite: Database.Database): void => {
  sqlite.pragma('busy_timeout = 10000');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma('synchronous = FULL'); // the ledger must survive a power cut
  sqlite.pragma('cache_size = -32768');
  sqlite.pragma('temp_store = MEMORY');
  sqlite.pragma('wal_autocheckpoint = 8000'); // pages; a page of new videos writes some 300
};

/** Makes a complete, empty lake appear at `path`, whole or not at all. */
const create = (path: string): void => {
  const temporary = `${path}.new-${randomBytes(6).toString('hex')}`;
  try {
    makeOwnFile(temporary);
    const sqlite = new Database(temporary);
    try {
      sqlite.pragma(`auto_vacuum = ${INCREMENTAL}`); // before the first page is written
      sqlite.pragma('synchronous = OFF'); // migrations need not wait for the disk one by one
      sqlite.pragma(`application_id = ${APPLICATION_ID}`);
      migrate(sqlite, temporary);
      giveLakeId(sqlite);
      sqlite.pragma('synchronous = FULL');
      sqlite.pragma('journal_mode = WAL'); // brings the whole file onto the disk
    } finally {
      sqlite.close();
    }
    try {
      linkSync(temporary, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was faster
    }
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(temporary + suffix, { force: true });
  }
};

/** Receives a sentence about something that opening a lake changed beside it. */
export interface OpenOptions {
  readonly report?: (sentence: string) => void;
  /** Start an empty lake even where a former one left backups, Parquet files or keys. */
  readonly newLake?: boolean;
}

/** Lakes from this schema on were made for their user alone; what is opened to others later stays so. */
const OWN_SINCE = 6;

/**
 * Creates the lake if there is none, and removes remains of processes that died while creating it.
 * Creating and migrating hold a lock, so remains under it belong to nobody.
 */
const makeIfMissing = (dataDir: string, path: string, options: OpenOptions): void => {
  if (existsSync(path) && leftoversIn(dataDir, LAKE_FILE).length === 0) return;
  whileAlone(dataDir, MIGRATION, WAIT_MS, () => {
    removeLeftovers(dataDir, LAKE_FILE);
    if (existsSync(path)) return;
    refuseRemains(path);
    if (options.newLake !== true) refuseFormerLake(dataDir, path);
    const aside = options.newLake === true ? setFormerLakeAside(dataDir) : undefined;
    if (aside !== undefined)
      options.report?.(`Backups and Parquet files of the former lake were moved to ${aside}.`);
    create(path);
    closeToOthers(dataDir); // nothing private was there before
  });
};

/** Leads an older lake forward, one process at a time; a newer one is refused. */
const migrateIfOlder = (
  sqlite: Database.Database,
  { dataDir, path }: Pick<Lake, 'dataDir' | 'path'>,
  options: OpenOptions,
): void => {
  const version = sqlite.pragma('user_version', { simple: true }) as number;
  if (version === SCHEMA_VERSION) return;
  whileAlone(dataDir, MIGRATION, WAIT_MS, () => migrate(sqlite, path, options));
  const sentence = version < OWN_SINCE ? closeToOthers(dataDir) : undefined;
  if (sentence !== undefined) options.report?.(sentence);
};

/** Runs `work`, turning SQLite's complaints about the file itself into words. */
const explaining = <T>(path: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw lakeErrorOf(error, path) ?? error;
  }
};

/**
 * Opens the lake of a data directory for writing. Creates folder and lake, or migrates an older one
 * after a backup beside it. Removes remains of processes that died over either.
 * @throws UsageError if folder or file cannot be a lake; LakeError for a damaged file
 */
export const openLake = (dataDir: string, options: OpenOptions = {}): Lake => {
  prepareDataFolder(dataDir);
  const path = join(dataDir, LAKE_FILE);
  return explaining(path, () => {
    makeIfMissing(dataDir, path, options);
    refuseForeign(path);
    const sqlite = new Database(path, { fileMustExist: true }); // an empty file is not a lake
    try {
      configure(sqlite);
      refuseForeignDatabase(sqlite, path);
      refuseStrangeSchema(sqlite, path);
      sqlite.pragma('journal_mode = WAL');
      migrateIfOlder(sqlite, { dataDir, path }, options);
    } catch (error) {
      sqlite.close();
      throw error;
    }
    return new Lake(dataDir, sqlite);
  });
};

/** A lake that another version of trendlake made: nothing is wrong with it, so no backup helps. */
export class OtherSchemaError extends UsageError {
  override get name(): string {
    return UsageError.name; // programs see it as any other usage error
  }
}

/**
 * Opens an existing lake read-only. Several may be open beside the writer.
 * @throws UsageError if there is none, only parts of one, or a foreign file
 */
export const openLakeForReading = (dataDir: string): Lake => {
  const path = join(dataDir, LAKE_FILE);
  if (explaining(path, () => statSync(path, { throwIfNoEntry: false })) === undefined) {
    refuseRemains(path);
    refuseFormerLake(dataDir, path);
    throw new UsageError(
      `There is no lake at ${path}. Make one with \`${commandText('sync')}\`, \`import\` or \`demo\`, or set TRENDLAKE_DATA_DIR.`,
    );
  }
  return explaining(path, () => {
    refuseForeign(path);
    const sqlite = new Database(path, { readonly: true });
    try {
      sqlite.pragma('busy_timeout = 10000');
      sqlite.pragma('query_only = ON');
      refuseForeignDatabase(sqlite, path);
      sqlite.pragma('cache_size = -32768');
      sqlite.pragma('temp_store = MEMORY');
      const version = sqlite.pragma('user_version', { simple: true }) as number;
      refuseStrangeSchema(sqlite, path);
      if (version !== SCHEMA_VERSION)
        throw new OtherSchemaError(
          version > SCHEMA_VERSION
            ? `${path} was written by a newer trendlake (schema ${version}, this one knows ${SCHEMA_VERSION}). Update trendlake.`
            : `${path} has an older schema (${version}, expected ${SCHEMA_VERSION}). Run \`${commandText('sync')}\` or \`export\` once to migrate it.`,
        );
    } catch (error) {
      sqlite.close();
      throw error;
    }
    return new Lake(dataDir, sqlite);
  });
};
