import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A service of its own process. */
export interface Child {
  readonly origin: string;
  /** From asking for the process to its address, and the part of it that starting the service took. */
  readonly upMs: number;
  readonly startedMs: number;
  /** Largest resident memory so far, and memory that is its alone now; null where /proc is not. */
  memoryMb(): { peak: number; own: number } | null;
  stop(): Promise<void>;
}

const megabytes = (child: ChildProcess, name: string): number => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
};

/** Starts a service over a lake, its clock fixed at `at` (Unix ms). */
export const startChild = async (dataDir: string, at: number): Promise<Child> => {
  const from = performance.now();
  const script = fileURLToPath(new URL('./service-child.ts', import.meta.url));
  const child = spawn(process.execPath, [script, dataDir, String(at)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url, startedMs } = JSON.parse(line.toString()) as { url: string; startedMs: number };
  return {
    origin: new URL(url).origin,
    upMs: performance.now() - from,
    startedMs,
    memoryMb: () =>
      existsSync('/proc/self/status')
        ? { peak: megabytes(child, 'VmHWM'), own: megabytes(child, 'RssAnon') }
        : null,
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
};
