import type { Readable } from 'node:stream';
import { type Clock, virtualClock } from '../../src/base/clock.ts';
import { run } from '../../src/cli/main.ts';

/** Output and exit code of a command. */
export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/** Runs a command line in this process, on a clock that stands still unless one is given. */
export const runCommand = async (
  argv: readonly string[],
  options: {
    dataDir: string;
    env?: NodeJS.ProcessEnv;
    clock?: Clock;
    signal?: AbortSignal;
    input?: Readable;
    /** Makes the built-in sandbox's world a small one. */
    sandboxCreators?: number;
    /** Hears each line of stdout as it is printed. */
    onOut?: (line: string) => void;
  },
): Promise<CommandResult> => {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(argv, {
    env: { TRENDLAKE_DATA_DIR: options.dataDir, ...options.env },
    cwd: options.dataDir,
    clock: options.clock ?? virtualClock(Date.UTC(2026, 2, 1)),
    random: () => 0.5,
    signal: options.signal ?? new AbortController().signal,
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.sandboxCreators === undefined ? {} : { sandboxCreators: options.sandboxCreators }),
    isTerminal: false,
    columns: undefined,
    out: (line) => {
      out.push(line);
      options.onOut?.(line);
    },
    err: (line) => void err.push(line),
    draw: () => {},
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
};
