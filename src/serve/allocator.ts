/**
 * What the process that serves asks of glibc's allocator, which reads it from the environment as the
 * process starts. Left alone, it learns from each large block given back to keep larger ones, in
 * every thread: a third more memory. Other allocators ignore it.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(1 << 20), // bytes; blocks from this size on are given back at once
  MALLOC_TRIM_THRESHOLD_: String(4 << 20), // bytes kept at the top of an arena
};

/**
 * Starts this program again in the same process (same id, same standard streams), with the
 * allocator told; once, and not where the environment says something of its own, the system cannot
 * do it, or a parent talks to this process over a channel that would be lost.
 */
export const startAgainWithAllocator = (): void => {
  const { execPath, execArgv, argv, env, platform, connected } = process;
  const told = Object.keys(ALLOCATOR).some((name) => env[name] !== undefined);
  if (told || connected || platform !== 'linux' || process.execve === undefined) return;
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...ALLOCATOR });
};
