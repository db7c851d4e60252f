import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { type Config, type Overrides, readConfig } from '../../base/config/config.ts';
import { EXIT, type ExitCode } from '../../base/errors.ts';
import { asciiText, terminalText } from '../../base/terminal-text.ts';
import { flowed } from '../text/flowed.ts';
import { jsonArrayLines } from '../text/json-array.ts';

/** What a command may touch of the world around it. Built once in main.ts, handed in by tests. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly clock: Clock;
  /** Randomness for keys, jitter and lease names: 0 <= r < 1. */
  readonly random: () => number;
  /**
   * Aborted by the first SIGINT or SIGTERM. Whoever asks for it stops in order; a command that never
   * does only reads, and either signal ends it at once.
   */
  readonly signal: AbortSignal;
  /** True when stderr is a terminal: lines that are drawn over are welcome there. */
  readonly isTerminal: boolean;
  /** Columns of the terminal that stdout is; undefined where it is none, such as a file. */
  readonly columns: number | undefined;
  /** True: tables and curves are drawn in ASCII. */
  readonly ascii?: boolean;
  /** Which streams show colours. */
  readonly colours?: { readonly out: boolean; readonly err: boolean };
  /** True where stdout is this process's own, so that another may write to it in its stead. */
  readonly ownsStdout?: boolean;
  /** Creators of each platform of the built-in sandbox's world; all of them unless given. */
  readonly sandboxCreators?: number;
  /** What stands on stdin; undefined where nothing can. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  /** A line to stdout, as it is. */
  out(line: string): void;
  /** A line to stderr, as it is. */
  err(line: string): void;
  /** Characters to stderr, as they are, for what is drawn over on a terminal. */
  draw(text: string): void;
}

/** How a line is meant, where the terminal has colours. */
export type Tone = 'heading' | 'good' | 'bad' | 'faint';

const SGR: Readonly<Record<Tone, string>> = { heading: '1', good: '32', bad: '31', faint: '2' };

/** What every command may be given besides its own options. */
export interface EverydayFlags {
  readonly dataDir?: string;
  readonly config?: string;
  readonly newLake?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/**
 * What a command reads and speaks through. Everything for people passes `terminalText` here, and
 * nowhere else: titles, names and messages come from outside.
 */
export class CliIo {
  readonly #around: Surroundings;
  /** What the process exits with once the command is done; 0 unless set. */
  exitCode: ExitCode = EXIT.complete;
  flags: EverydayFlags = {};
  #hasDocument = false;
  #isDrawn = false;
  #divertedTo: ((line: string) => void) | undefined;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get env(): NodeJS.ProcessEnv {
    return this.#around.env;
  }
  get cwd(): string {
    return this.#around.cwd;
  }
  get clock(): Clock {
    return this.#around.clock;
  }
  get random(): () => number {
    return this.#around.random;
  }
  get signal(): AbortSignal {
    return this.#around.signal;
  }
  get sandboxCreators(): number | undefined {
    return this.#around.sandboxCreators;
  }
  get columns(): number | undefined {
    return this.#around.columns;
  }
  get ownsStdout(): boolean {
    return this.#around.ownsStdout === true;
  }
  get input(): (Readable & { readonly isTTY?: boolean }) | undefined {
    return this.#around.input;
  }
  /** True where a line may be drawn over: a terminal that holds no log, and nobody asked for quiet. */
  get isTerminal(): boolean {
    const taken = this.#divertedTo !== undefined || this.flags.quiet === true;
    return this.#around.isTerminal && !taken;
  }
  /** True once `json` has printed: one invocation prints one document. */
  get hasDocument(): boolean {
    return this.#hasDocument;
  }

  #toned(text: string, tone: Tone | undefined, colours: boolean | undefined): string {
    const safe = flowed(terminalText(text), this.columns);
    const clean = this.#around.ascii === true ? asciiText(safe) : safe;
    return tone === undefined || colours !== true ? clean : `\u001b[${SGR[tone]}m${clean}\u001b[0m`;
  }

  /** Lines to stdout for people: what was asked for. */
  readonly out = (text: string, tone?: Tone): void => {
    this.redraw('');
    this.#around.out(this.#toned(text, tone, this.#around.colours?.out));
  };

  /** Lines to stderr: what went wrong, and what must be known. */
  readonly err = (text: string, tone?: Tone): void => {
    this.redraw('');
    if (this.#divertedTo !== undefined) this.#divertedTo(text);
    else this.#around.err(this.#toned(text, tone, this.#around.colours?.err));
  };

  /** A line of the log to stderr, beside what people are told there. */
  readonly logLine = (line: string): void => {
    this.#around.err(terminalText(line));
  };

  /** From now on lines to stderr go into a log that stands there; undefined: no more. */
  divert(to: ((line: string) => void) | undefined): void {
    this.#divertedTo = to;
  }

  /** Lines to stderr that somebody may do without: what is being done. Not with --quiet. */
  readonly note = (text: string): void => {
    if (this.flags.quiet !== true) this.err(text);
  };

  /** The one JSON document of an invocation, to stdout. */
  readonly json = (value: unknown, indent: number | undefined = 2): void => {
    this.#hasDocument = true;
    this.data(terminalText(JSON.stringify(value, null, indent)));
  };

  /** The one JSON document of an invocation where it is an array that may be long. */
  readonly jsonArray = (items: Iterable<unknown>): void => {
    this.#hasDocument = true;
    for (const line of jsonArrayLines(items)) this.data(terminalText(line));
  };

  /** Something else has printed the document, or begun to. */
  noteDocument(): void {
    this.#hasDocument = true;
  }

  /** A line to stdout for programs, byte for byte: JSON and CSV. */
  readonly data = (line: string): void => {
    this.#around.out(line);
  };

  /** Lines of CSV to stdout: byte for byte for programs, without control characters on a terminal. */
  readonly csv = (lines: string): void =>
    this.data(this.columns === undefined ? lines : terminalText(lines));

  /** What somebody types, as readline shows it, and the question before it: nothing from elsewhere. */
  readonly typed = (text: string): void => {
    this.#around.draw(text);
  };

  /** One line at the bottom of a terminal, in the place of the one before; '' takes it away. */
  readonly redraw = (line: string): void => {
    if (line === '' ? !this.#isDrawn : !this.isTerminal) return;
    this.#isDrawn = line !== '';
    this.#around.draw(`\r\u001b[2K${terminalText(line)}`);
  };
}

/** One file of src/cli: gives a command its arguments, options, help text and action. */
export interface CommandModule {
  /** @param commands all there are, for those that tell of the others */
  define(command: Command, io: CliIo, commands: readonly CommandEntry[]): void;
}

/** A command's line in `trendlake --help`, and where it is. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/**
 * The settings of this invocation.
 * @throws ConfigurationError with all that cannot be right
 */
export const configOf = ({ flags, env, cwd }: CliIo, overrides: Overrides = {}): Config =>
  readConfig({
    flags: {
      ...overrides,
      ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }),
      ...(flags.verbose === true ? { log: 'debug' } : {}),
    },
    env,
    cwd,
    file: flags.config,
  });
