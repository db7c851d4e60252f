import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Sends a child its end, and waits for it. */
export const endProcess = async (child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM') => {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};
