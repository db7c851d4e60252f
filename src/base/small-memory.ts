import { setFlagsFromString } from 'node:v8';

/**
 * What a process that serves, schedules or exports asks of glibc's allocator, which reads it from the environment
 * as the process starts. Left alone, it learns from each large block given back to keep larger ones, in
 * every thread: a third more memory. Other allocators ignore it.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(1 << 20), // bytes; blocks from this size on are given back at once
  MALLOC_TRIM_THRESHOLD_: String(4 << 20), // bytes kept at the top of an arena
};

/**
 * What it asks of V8: space for new objects stays as small as it is at first (2 MB), and old ones are
 * collected when they are a quarter more than after the last time. Left alone, V8 lets the heap grow
 * to several times the 40 to 60 MB that a service's live objects take. Costs nothing that could be
 * measured.
 */
export const HEAP = [
  '--max-semi-space-size=2',
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=25',
];

/**
 * What an export asks of V8: its rows live for a moment, and a nursery of 3 x 4 MB holds those of one;
 * left alone it grows to 48 MB and saves no time.
 */
export const EXPORT_HEAP = ['--max-semi-space-size=4'];

/** Keeps the heap small in a process that was not started so; less well, as new space may have grown. */
export const keepHeapSmall = (): void => {
  for (const option of HEAP) setFlagsFromString(option);
};

/**
 * Starts this program again in the same process (same id, same standard streams), with allocator and
 * V8 told (as `heap` says); once, and not where the environment says something of its own, the system
 * cannot do it, or a parent talks to this process over a channel that would be lost.
 */
export const startAgainSmall = (heap: readonly string[]): void => {
  const { execPath, execArgv, argv, env, platform, connected } = process;
  const told = Object.keys(ALLOCATOR).some((name) => env[name] !== undefined);
  if (told || connected || platform !== 'linux' || process.execve === undefined) return;
  const again = [execPath, ...heap, ...execArgv, ...argv.slice(1)];
  process.execve(execPath, again, { ...env, ...ALLOCATOR });
};
