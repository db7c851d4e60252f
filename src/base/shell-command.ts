import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Between the request to end and SIGKILL. */
const GRACE_MS = 2000;
const HAS_GROUPS = process.platform !== 'win32';

/** Signals a command and every process of its group that is left. */
const signalGroup = (child: ChildProcess, name: NodeJS.Signals): void => {
  if (child.pid === undefined) return; // it could not be started
  try {
    if (HAS_GROUPS) process.kill(-child.pid, name);
    else child.kill(name);
  } catch {
    // all of them have ended
  }
};

/** Ends a command and what it started: by SIGTERM, and by SIGKILL whatever is left after the grace. */
const endGroup = async (child: ChildProcess, graceMs: number): Promise<void> => {
  signalGroup(child, 'SIGTERM');
  const grace = AbortSignal.timeout(graceMs);
  if (child.exitCode === null && child.signalCode === null)
    await once(child, 'exit', { signal: grace }).catch(() => {}); // it ignores SIGTERM
  signalGroup(child, 'SIGKILL');
};

interface ShellOptions {
  /** Written to its standard input. */
  readonly input: string;
  /** Its whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends it, with every process that it started. */
  readonly signal: AbortSignal;
  readonly graceMs?: number;
}

/**
 * Runs a command of the shell as a process group, so that it can be ended with all that it started.
 * What it prints is dropped.
 * @throws (rejects) when it cannot be started or fails; with the signal's reason once it was ended by it
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
