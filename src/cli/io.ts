import type { Command } from 'commander';
import type { Clock } from '../clock.ts';
import { type Config, type Overrides, readConfig } from '../config.ts';
import type { ExitCode } from '../errors.ts';

/** What a command may touch of the world around it. Built once in main.ts, faked in tests. */
export interface CliIo {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly clock: Clock;
  /** Randomness for keys, jitter and lease names: 0 <= r < 1. */
  readonly random: () => number;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** True when stderr is a terminal: progress bars and colours are welcome there. */
  readonly isTerminal: boolean;
  /** Columns of the terminal that stdout is; undefined where it is none, such as a file. */
  readonly columns: number | undefined;
  /** A line to stdout: what was asked for. */
  out(line: string): void;
  /** A line to stderr: everything else. */
  err(line: string): void;
  /** Characters to stderr as they are, for what is drawn over on a terminal. */
  draw(text: string): void;
  /** What the process exits with once the command is done; 0 unless set. */
  exitCode: ExitCode;
}

/** One file of src/cli: gives a command its arguments, options, help text and action. */
export interface CommandModule {
  define(command: Command, io: CliIo): void;
}

/** The settings of this invocation; unknown names are reported on stderr. */
export const configOf = (io: CliIo, overrides: Overrides = {}): Config =>
  readConfig(overrides, io.env, io.cwd, (sentence) => io.err(`warning: ${sentence}`));
