import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;
const HAS_GROUPS = process.platform !== 'win32';

/** Signals a command and its process group. */
const signalGroup = (child: ChildProcess, name: NodeJS.Signals): void => {
  if (child.pid === undefined) return; // not started
  try {
    if (HAS_GROUPS) process.kill(-child.pid, name);
    else child.kill(name);
  } catch {
    // all have ended
  }
};

/** Ends a process group with SIGTERM, then SIGKILL after the grace. */
const endGroup = async (child: ChildProcess, graceMs: number): Promise<void> => {
  signalGroup(child, 'SIGTERM');
  const grace = AbortSignal.timeout(graceMs);
  if (child.exitCode === null && child.signalCode === null)
    await once(child, 'exit', { signal: grace }).catch(() => {}); // ignores SIGTERM
  signalGroup(child, 'SIGKILL');
};

interface ShellOptions {
  readonly input: string;
  /** The complete environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends the command and all processes it started. */
  readonly signal: AbortSignal;
  readonly graceMs?: number;
}

/**
 * Runs a shell command as a process group and discards its output.
 * @throws (rejects) when it cannot be started or fails; the signal's reason when aborted
 */
export const runShellCommand = async (
  command: string,
  { input, env, signal, graceMs = GRACE_MS }: ShellOptions,
): Promise<void> => {
  signal.throwIfAborted();
  const child = spawn(command, {
    shell: true,
    detached: HAS_GROUPS,
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
  });
  const kill = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', kill);
  child.stdin.on('error', () => {}); // a command need not read its input
  child.stdin.end(input);
  try {
    const [code, by] = (await once(child, 'exit', { signal })) as [number | null, string | null];
    if (code !== 0) throw new Error(`the command ended with ${by ?? `exit code ${code}`}`);
  } catch (error) {
    if (!signal.aborted) throw error;
    await endGroup(child, graceMs);
    throw signal.reason;
  } finally {
    process.removeListener('exit', kill);
  }
};
