/** Time that passed, and time of this thread's processor. */
export interface Cost {
  wallMs: number;
  cpuMs: number;
}

/** Cost of a piece of work. */
export const timed = (work: () => void): Cost => {
  const cpu = process.threadCpuUsage();
  const startedAt = performance.now();
  work();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.threadCpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
};
