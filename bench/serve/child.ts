import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR, HEAP } from '../../src/base/small-memory.ts';

/** A server in its own process. */
export interface Child {
  readonly origin: string;
  /** From asking for the process to its address. */
  readonly upMs: number;
  /** Processor time it has used so far, all its threads; null where /proc is not. */
  processorMs(): number | null;
  /** Largest resident memory so far, resident now, and its alone now; null where /proc is not. */
  memoryMb(): { peak: number; resident: number; own: number } | null;
  stop(): Promise<void>;
}

const hasProc = existsSync('/proc/self/status');
const megabytes = (child: ChildProcess, name: string): number => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
};

const TICK_MS = 10; // of user and system time, fields 14 and 15
const processorMs = (child: ChildProcess): number => {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
};

const SCRIPTS = {
  service: new URL('./service-child.ts', import.meta.url),
  bare: new URL('./bare-child.ts', import.meta.url),
  hono: new URL('./hono-child.ts', import.meta.url),
};

/** Folder of compiled code kept from one start to the next, as `bin.js` keeps it. */
const COMPILED = join(tmpdir(), 'trendlake-bench-compiled');

/**
 * Starts a server over a lake, its clock at `at` (Unix ms), in a process set up as `trendlake serve`
 * sets its own up; what it logs goes to a file beside the lake.
 */
export const startChild = async (
  kind: keyof typeof SCRIPTS,
  dataDir: string,
  at: number,
): Promise<Child> => {
  const from = performance.now();
  const child = spawn(process.execPath, [...HEAP, fileURLToPath(SCRIPTS[kind]), String(at)], {
    stdio: ['pipe', 'pipe', openSync(join(dataDir, `${kind}.log`), 'w')],
    env: {
      ...process.env,
      ...ALLOCATOR,
      NODE_COMPILE_CACHE: COMPILED,
      TRENDLAKE_DATA_DIR: dataDir,
    },
  });
  const [line] = (await once(child.stdout as Readable, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  return {
    origin: new URL(url).origin,
    upMs: performance.now() - from,
    processorMs: () => (hasProc ? processorMs(child) : null),
    memoryMb: () =>
      hasProc
        ? {
            peak: megabytes(child, 'VmHWM'),
            resident: megabytes(child, 'VmRSS'),
            own: megabytes(child, 'RssAnon'),
          }
        : null,
    stop: async () => {
      child.stdin?.end();
      await once(child, 'exit');
    },
  };
};
