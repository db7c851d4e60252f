import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LakeError, messageOf } from '../errors.ts';
import type { WriteBytes } from './write-parquet.ts';

/** The slice of the file system that placing a file needs; a test hands in one that fails. */
export interface Disk {
  write(file: number, bytes: Uint8Array): number;
}
export const systemDisk: Disk = { write: (file, bytes) => writeSync(file, bytes) };

/** What stands at a path once it was placed. */
export interface PlacedFile {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Name under which a file grows: no glob for `*.parquet` or `*.json` matches it, and readers of
 * whole folders skip names with a leading dot.
 */
export const temporaryName = (path: string): string =>
  join(dirname(path), `.${basename(path)}.tmp`);

const syncFolder = (path: string): void => {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

/** Makes a folder and sees to it that its name survives a power cut. */
const makeFolder = (path: string): void => {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made))
    syncFolder(dirname(made));
};

const READ_BYTES = 1 << 20;

/** Size and hash of a file as it is on disk. */
export const fingerprintOf = (path: string): PlacedFile => {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const file = openSync(path, 'r');
  let bytes = 0;
  try {
    for (;;) {
      const read = readSync(file, buffer, 0, READ_BYTES, null);
      if (read === 0) return { bytes, sha256: hash.digest('hex') };
      hash.update(buffer.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(file);
  }
};

const explain = (path: string, error: unknown): LakeError => {
  const code = (error as NodeJS.ErrnoException).code;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new LakeError(
    `${path} could not be written: ${full ? 'the disk is full' : messageOf(error)}. The file that stood there, if any, is untouched. ${full ? 'Make room' : 'See that trendlake may write there'} and run \`trendlake export\` again.`,
    { cause: error, transient: full },
  );
};

/** Runs `work` on `path`; an error of the file system becomes words, every other one passes. */
export const explaining = <T>(path: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw explain(path, error);
    throw error;
  }
};

/** Writes all of `bytes`, however often the system takes only part of them. */
const writeAll = (disk: Disk, file: number, bytes: Buffer): void => {
  for (let done = 0; done < bytes.length; ) {
    const taken = disk.write(file, bytes.subarray(done));
    if (taken <= 0) throw new LakeError('The disk takes no more bytes and does not say why.');
    done += taken;
  }
};

/**
 * Makes a file that grows under a temporary name; `keep` puts it in its place, whole, `drop`
 * removes it. `fill` writes its bytes. What reached the disk is read back and compared with what
 * was written.
 * @throws LakeError when the disk is full or refuses; nothing is left behind then
 */
export const prepareFile = <T>(
  path: string,
  fill: (write: WriteBytes) => T,
  disk: Disk = systemDisk,
): { filled: T; temporary: string; placed: PlacedFile; keep(): void; drop(): void } => {
  const temporary = temporaryName(path);
  const drop = (): void => rmSync(temporary, { force: true });
  try {
    return explaining(path, () => {
      makeFolder(dirname(path));
      const hash = createHash('sha256');
      const file = openSync(temporary, 'w');
      let filled: T;
      try {
        filled = fill((bytes) => {
          hash.update(bytes);
          writeAll(disk, file, bytes);
        });
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      const placed = fingerprintOf(temporary);
      if (placed.sha256 !== hash.digest('hex'))
        throw new LakeError(
          `${temporary} does not read back as it was written. The disk may be failing; the file was not put in place.`,
        );
      const keep = (): void =>
        explaining(path, () => {
          renameSync(temporary, path);
          syncFolder(dirname(path));
        });
      return { filled, temporary, placed, keep, drop };
    });
  } catch (error) {
    drop();
    throw error;
  }
};
