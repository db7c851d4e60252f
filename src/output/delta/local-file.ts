import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { ReplacedFileError, TablesError } from './errors.ts';
import type { FileSource } from './published-file.ts';
import type { OpenFile } from './table-store.ts';

const READ_BYTES = 1 << 18;
const TAIL_BYTES = 8; // length of the footer, then `PAR1`

/** A file of the manifest. */
export interface LocalFile {
  /** In the file system. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
  /** UTC day of its rows; null for a table of one file. */
  readonly date: string | null;
}

const opened = async (file: LocalFile): Promise<OpenFile> => {
  try {
    const handle = await open(file.path, 'r');
    return { handle, path: file.path, bytes: file.bytes };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new ReplacedFileError(file.path);
    throw new TablesError(`${file.path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
};

const sha256Of = async ({ handle }: OpenFile): Promise<string> => {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
};

/**
 * Opens an exported file, compares its hash with the manifest and runs `work` on it. If an export
 * replaces the file meanwhile, the open one stays readable.
 * @throws ReplacedFileError if its bytes differ from the manifest
 */
export const withLocalFile = async <T>(
  file: LocalFile,
  work: (open: OpenFile) => Promise<T>,
): Promise<T> => {
  const open = await opened(file);
  try {
    const { size } = await open.handle.stat();
    if (size !== file.bytes || (await sha256Of(open)) !== file.sha256)
      throw new ReplacedFileError(file.path);
    return await work(open);
  } finally {
    await open.handle.close();
  }
};

/** A local file as a part of a published one. */
export const sourceOf = (file: LocalFile): FileSource => ({
  date: file.date,
  sha256: file.sha256,
  withFile: (work) => withLocalFile(file, work),
});

/**
 * Footer of an exported file.
 * @throws TablesError if it cannot be read
 */
export const footerOf = async ({ handle, path, bytes }: OpenFile): Promise<FileMetaData> => {
  const tail = async (wanted: number): Promise<Buffer> => {
    const buffer = Buffer.from(new ArrayBuffer(Math.min(wanted, bytes)));
    await handle.read(buffer, 0, buffer.length, bytes - buffer.length);
    return buffer;
  };
  try {
    const footer = await tail((await tail(TAIL_BYTES)).readUInt32LE(0) + TAIL_BYTES);
    return parquetMetadata(footer.buffer as ArrayBuffer);
  } catch (error) {
    throw new TablesError(
      `${path} has no readable footer: ${messageOf(error)}. Nothing was published of it: \`${commandText('export --full')}\` writes it again.`,
      { cause: error },
    );
  }
};

async function* chunksBetween({ handle }: OpenFile, start: number, end: number) {
  for (let at = start; at < end; ) {
    const length = Math.min(READ_BYTES, end - at);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Stream of a part of a file. Each stream of a FileHandle itself would leave a listener on it. */
export const stretchOf = (file: OpenFile, start: number, bytes: number): Readable =>
  Readable.from(chunksBetween(file, start, start + bytes), { objectMode: false });

/** MD5 of a part of a file, by which the store checks the upload. */
export const md5Of = async (file: OpenFile, start: number, bytes: number): Promise<Buffer> => {
  const hash = createHash('md5');
  for await (const chunk of chunksBetween(file, start, start + bytes)) hash.update(chunk);
  return hash.digest();
};
