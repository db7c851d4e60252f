import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fullDiskOf, LakeError, messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import type { WriteBytes } from './write-parquet.ts';

/** Writes to a file. Tests use one that fails. */
export interface Disk {
  write(file: number, bytes: Uint8Array): number;
}
export const systemDisk: Disk = { write: (file, bytes) => writeSync(file, bytes) };

// with the umask, but never writable by all users
const FILE_MODE = 0o664;
const FOLDER_MODE = 0o775;

/** Syncs a file to disk in the background. */
const keepOnDisk = promisify(fsync);

/** An installed file. */
export interface InstalledFile {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Temporary name of a file. No glob for `*.parquet` or `*.json` matches it, and readers of whole folders
 * skip names with a leading dot.
 */
export const temporaryName = (path: string): string =>
  join(dirname(path), `.${basename(path)}.tmp`);

/** Folders with changed names that are not yet synced to disk. */
export class ChangedFolders {
  readonly #changed = new Set<string>();

  /** Creates a missing folder. */
  make(path: string): void {
    if (existsSync(path)) return;
    const first = mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
    if (first === undefined) return;
    for (let folder = path; folder.length >= first.length; folder = dirname(folder))
      this.#changed.add(dirname(folder));
  }

  /** Notes a folder in which a file was added or removed. */
  note(path: string): void {
    this.#changed.add(path);
  }

  /** Syncs the noted folders to disk. */
  async flush(): Promise<void> {
    const folders = [...this.#changed];
    this.#changed.clear();
    if (process.platform === 'win32') return; // folders cannot be opened there
    for (let from = 0; from < folders.length; from += OPEN_AT_ONCE)
      await Promise.all(
        folders.slice(from, from + OPEN_AT_ONCE).map(async (path) => {
          if (!existsSync(path)) return;
          const folder = openSync(path, 'r');
          try {
            await keepOnDisk(folder);
          } finally {
            closeSync(folder);
          }
        }),
      );
  }
}
const OPEN_AT_ONCE = 64;

const READ_BYTES = 1 << 20;

/** Size and hash of a file as it is on disk. */
export const fingerprintOf = (path: string): InstalledFile => {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  let bytes = 0;
  try {
    const buffer = Buffer.allocUnsafe(Math.min(fstatSync(file).size + 1, READ_BYTES));
    for (;;) {
      const read = readSync(file, buffer, 0, buffer.length, null);
      if (read === 0) return { bytes, sha256: hash.digest('hex') };
      hash.update(buffer.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(file);
  }
};

/** Error codes on Windows for replacing a file that a program has open. */
const IS_OPEN: ReadonlySet<unknown> = new Set(['EBUSY', 'EPERM']);

const explain = (path: string, error: unknown): LakeError => {
  const full = fullDiskOf(error);
  const isOpen = error instanceof Error && 'code' in error && IS_OPEN.has(error.code);
  const denied = isOpen
    ? 'Close the program that has it open'
    : 'See that trendlake may write there';
  return new LakeError(
    `${path} could not be written: ${full ?? messageOf(error)}. An existing file there is untouched. ${full === undefined ? denied : 'Make room'} and run \`${commandText('export')}\` again.`,
    { cause: error, transient: full !== undefined },
  );
};

const explained = (path: string, error: unknown): unknown =>
  error instanceof Error && 'syscall' in error ? explain(path, error) : error;

/** Runs `work` on `path` and explains errors of the file system. */
export const explaining = async <T>(path: string, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw explained(path, error);
  }
};

const explainingNow = (path: string, work: () => void): void => {
  try {
    work();
  } catch (error) {
    throw explained(path, error);
  }
};

/** Writes all of `bytes`, even if the system takes only a part at a time. */
const writeAll = (disk: Disk, file: number, bytes: Buffer): void => {
  for (let done = 0; done < bytes.length; ) {
    const taken = disk.write(file, bytes.subarray(done));
    if (taken <= 0) throw new LakeError('The disk accepts no more bytes and gives no reason.');
    done += taken;
  }
};

/** A complete file under its temporary name. */
export interface GrownFile<T> {
  /** Result of the writing function. */
  readonly filled: T;
  readonly temporary: string;
  /** Size and hash of what was written. */
  readonly installed: InstalledFile;
  /**
   * Syncs the file, reads it back, runs `check` and moves it into place. Flush `folders` afterwards.
   * @throws LakeError if the disk refuses or lost data. The old file is untouched
   */
  keep(check?: () => void): Promise<void>;
  /** Removes the temporary file, if it was not moved. */
  drop(): void;
}

/** A file that is written under a temporary name. */
export class GrowingFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #disk: Disk;
  readonly #folders: ChangedFolders;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #file: number | undefined;

  /** @throws LakeError when the disk is full or refuses */
  constructor(path: string, { disk, folders }: { disk: Disk; folders: ChangedFolders }) {
    this.#path = path;
    this.#temporary = temporaryName(path);
    this.#disk = disk;
    this.#folders = folders;
    explainingNow(path, () => {
      folders.make(dirname(path));
      this.#file = openSync(this.#temporary, 'w', FILE_MODE);
    });
  }

  /** Appends bytes. @throws LakeError if the disk is full or refuses */
  readonly write: WriteBytes = (bytes) => {
    const file = this.#openFile();
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    explainingNow(this.#path, () => writeAll(this.#disk, file, bytes));
  };

  /** Ends the file. */
  grown<T>(filled: T): GrownFile<T> {
    const installed = { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
    return {
      filled,
      temporary: this.#temporary,
      installed,
      keep: (check = () => {}) => this.#keep(installed, check),
      drop: () => this.drop(),
    };
  }

  drop(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  #keep(installed: InstalledFile, check: () => void): Promise<void> {
    return explaining(this.#path, async () => {
      await keepOnDisk(this.#openFile());
      this.#close();
      if (fingerprintOf(this.#temporary).sha256 !== installed.sha256)
        throw new LakeError(
          `${this.#temporary} does not read back as it was written. The disk may be failing; the file was not put in place.`,
        );
      check();
      renameSync(this.#temporary, this.#path);
      this.#folders.note(dirname(this.#path));
    });
  }

  #openFile(): number {
    if (this.#file === undefined) throw new Error(`${this.#temporary} is closed.`);
    return this.#file;
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/**
 * Writes a file under a temporary name with `fill`.
 * @throws LakeError if the disk is full or refuses. Nothing is left behind then
 */
export const growFile = async <T>(
  path: string,
  fill: (write: WriteBytes) => T | Promise<T>,
  deps: { disk: Disk; folders: ChangedFolders },
): Promise<GrownFile<T>> => {
  const file = new GrowingFile(path, deps);
  try {
    return file.grown(await fill(file.write));
  } catch (error) {
    file.drop();
    throw error;
  }
};
