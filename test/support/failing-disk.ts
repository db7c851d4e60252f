import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Answers of a failing disk; `SHORT` takes half of the bytes first and is full then. */
export const DISK_ERRORS = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'SHORT'] as const;
export type DiskError = (typeof DISK_ERRORS)[number];

/**
 * The fault of a process's disk: on files with this in their path, after so many successful calls.
 */
export interface DiskFault {
  readonly file: string;
  /** Without, every call gets through. */
  readonly error?: DiskError;
  readonly after?: number;
}

/** A disk that fails processes, compiled from failing-disk.c. */
export class FailingDisk {
  readonly #library: string;
  readonly #count: string;

  /** @throws where there is no C compiler, or no such preloading */
  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'trendlake-disk-')); // nobody else's code is loaded
    this.#library = join(folder, 'failing-disk.so');
    this.#count = join(folder, 'count');
    const source = join(import.meta.dirname, 'failing-disk.c');
    const argv = ['-shared', '-fPIC', '-O1', '-o', this.#library, source, '-ldl'];
    execFileSync('cc', argv, { stdio: 'pipe' });
  }

  /** Environment of a process that meets the fault. */
  env({ file, error, after = 0 }: DiskFault): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: this.#library,
      DISK_FAULT_FILE: file,
      DISK_FAULT_AFTER: String(after),
      ...(error === undefined ? {} : { DISK_FAULT_ERRNO: error }),
      DISK_FAULT_COUNT: this.#count,
    };
  }

  /** Number of calls on such files by the last process. */
  count(): number {
    return Number(readFileSync(this.#count, 'utf8'));
  }
}
