import { readFileSync } from 'node:fs';

/** True while a process runs. One that has ended and that nobody has waited for does not. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
