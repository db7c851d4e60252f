import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { fullDiskOf, messageOf } from '../../base/errors.ts';
import { TablesError } from './errors.ts';
import type { ByteRange, OpenFile, StoredObject, TableStore } from './table-store.ts';

/** Folder of temporary files, on the same disk and outside all tables. */
const GROWING = '_trendlake/growing';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');

const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Tables in a folder of this machine, or of a disk that several machines share. */
export class FileStore implements TableStore {
  readonly url: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.url = pathToFileURL(root).href;
  }

  #at(key: string): string {
    return join(this.#root, ...key.split('/'));
  }

  /** Runs `work` and explains errors of the file system. */
  async #explaining<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error) || !('syscall' in error)) throw error;
      const full = fullDiskOf(error);
      const advice =
        full !== undefined
          ? 'Make room and publish again.'
          : 'See that trendlake may read and write there, or set TRENDLAKE_TABLES_URL to another folder.';
      throw new TablesError(
        `${this.#at(key)} could not be used: ${full ?? messageOf(error)}. Readers see no partial files. ${advice}`,
        { cause: error, transient: full !== undefined },
      );
    }
  }

  read(key: string, range?: ByteRange): Promise<Buffer | undefined> {
    return this.#explaining(key, async () => {
      try {
        if (range === undefined) return await readFile(this.#at(key));
        const file = await open(this.#at(key), 'r');
        try {
          const into = Buffer.alloc(range.bytes);
          const { bytesRead } = await file.read(into, 0, range.bytes, range.from);
          return into.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  async *list(prefix: string, after = ''): AsyncGenerator<StoredObject> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const names = await this.#explaining(folder, async () => {
      try {
        return await readdir(this.#at(folder), { recursive: true, withFileTypes: true });
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    });
    const keys = names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.#root.length + 1))
      .map((path) => path.split(/[\\/]/).join('/'))
      .filter((key) => key.startsWith(prefix) && key > after)
      .sort();
    for (const key of keys) {
      const found = await stat(this.#at(key)).catch(() => undefined); // removed since
      if (found !== undefined) yield { key, bytes: found.size, modifiedAt: found.mtimeMs };
    }
  }

  async sizeOf(key: string): Promise<number | undefined> {
    const found = await stat(this.#at(key)).catch(() => undefined);
    return found?.isFile() === true ? found.size : undefined;
  }

  /** Writes a temporary file, which `install` moves into place. */
  #grow<T>(
    key: string,
    fill: (path: string) => Promise<void>,
    install: (growing: string, path: string) => Promise<T>,
  ): Promise<T> {
    return this.#explaining(key, async () => {
      const growing = this.#at(`${GROWING}/${randomBytes(12).toString('hex')}`);
      const path = this.#at(key);
      await mkdir(dirname(growing), { recursive: true });
      await mkdir(dirname(path), { recursive: true });
      try {
        await fill(growing);
        const installed = await install(growing, path);
        await syncFolder(dirname(path));
        return installed;
      } finally {
        await rm(growing, { force: true });
      }
    });
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  create(key: string, bytes: Uint8Array): Promise<boolean> {
    const install = async (growing: string, path: string): Promise<boolean> => {
      try {
        await link(growing, path); // atomic, and fails if the file exists
        return true;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? ''))
          throw error;
        throw new TablesError(
          `${this.#root} is on a file system without hard links (${codeOf(error)}), so that two lakes could overwrite each other's commits there. Nothing was published: set TRENDLAKE_TABLES_URL to a folder on another disk.`,
          { cause: error },
        );
      }
    };
    return this.#grow(key, (path) => this.#write(path, bytes), install);
  }

  replace(key: string, bytes: Uint8Array): Promise<void> {
    return this.#grow(key, (path) => this.#write(path, bytes), rename);
  }

  copyIn(key: string, { handle }: OpenFile): Promise<void> {
    const fill = async (path: string): Promise<void> => {
      const from = handle.createReadStream({ start: 0, autoClose: false });
      await pipeline(from, createWriteStream(path, { flags: 'wx', flush: true }));
    };
    return this.#grow(key, fill, rename);
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#explaining(key, () => rm(this.#at(key), { force: true }));
  }

  async tidy(_prefix: string, before: number): Promise<void> {
    for await (const { key, modifiedAt } of this.list(`${GROWING}/`))
      if (modifiedAt < before) await this.remove([key]);
  }

  close(): void {}

  [Symbol.dispose](): void {}
}
