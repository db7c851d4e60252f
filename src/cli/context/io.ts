import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { readThresholds } from '../../alerts/events/thresholds.ts';
import type { Clock } from '../../base/clock.ts';
import {
  type Config,
  type ConfigSources,
  type Overrides,
  readConfig,
} from '../../base/config/config.ts';
import { EXIT, type ExitCode } from '../../base/errors.ts';
import { asciiText, terminalText } from '../../base/terminal-text.ts';
import { grouped } from '../text/figures.ts';
import { flowed } from '../text/flowed.ts';
import { type Cell, type TableWish, textTable } from '../text/text-table.ts';

/**
 * Lines of `JSON.stringify(items, null, 2)`, item by item, so that a long array never fills the
 * memory.
 */
function* jsonArrayLines(items: Iterable<unknown>): Generator<string> {
  let before: string | undefined;
  for (const item of items) {
    yield before === undefined ? '[' : `${before},`;
    before = `  ${JSON.stringify(item, null, 2).replaceAll('\n', '\n  ')}`;
  }
  yield before === undefined ? '[]' : `${before}\n]`;
}

/** The world around a command. Built once in main.ts; tests hand in their own. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly clock: Clock;
  /** Random numbers for keys, jitter and lease names: 0 <= r < 1. */
  readonly random: () => number;
  /**
   * Aborted by the first SIGINT or SIGTERM. Reading it installs the handlers; until then a signal
   * ends the process at once.
   */
  readonly signal: AbortSignal;
  /** True when stderr is a terminal, so that lines may be redrawn. */
  readonly isTerminal: boolean;
  /** Width of the terminal on stdout in columns; undefined if stdout is not a terminal. */
  readonly columns: number | undefined;
  /** Draw tables and curves in ASCII. */
  readonly ascii?: boolean;
  /** Streams that show colours. */
  readonly colours?: { readonly out: boolean; readonly err: boolean };
  /** True if stdout belongs to this process, so that a child may write to it. */
  readonly ownsStdout?: boolean;
  /** Creators per platform in the built-in sandbox; default all. */
  readonly sandboxCreators?: number;
  /** stdin; undefined if it is missing. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  /** Prints a raw line to stdout. */
  out(line: string): void;
  /** Prints a raw line to stderr. */
  err(line: string): void;
  /** Prints raw characters to stderr, for redrawn lines. */
  draw(text: string): void;
}

const PROGRESS_EVERY_MS = 100;

type TableOptions = Omit<TableWish, 'columns'> & { readonly empty?: string };

/** Meaning of a line, shown as a colour. */
export type Tone = 'heading' | 'good' | 'bad' | 'faint';

const SGR: Readonly<Record<Tone, string>> = { heading: '1', good: '32', bad: '31', faint: '2' };

/** Options of every command. */
export interface EverydayFlags {
  readonly dataDir?: string;
  readonly config?: string;
  readonly newLake?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/**
 * Input and output of a command. Text for people passes `terminalText` here and only here, because
 * titles and names come from outside.
 */
export class CliIo {
  readonly #around: Surroundings;
  /** Exit code of the process, 0 by default. */
  exitCode: ExitCode = EXIT.complete;
  flags: EverydayFlags = {};
  #hasDocument = false;
  #isDrawn = false;
  #progressAt = Number.NEGATIVE_INFINITY;
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
  /** True if a line may be redrawn: a terminal without log lines, and no --quiet. */
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

  /** Prints results for people to stdout. */
  readonly out = (text: string, tone?: Tone): void => {
    this.redraw('');
    this.#around.out(this.#toned(text, tone, this.#around.colours?.out));
  };

  /** Prints errors and warnings to stderr. */
  readonly err = (text: string, tone?: Tone): void => {
    this.redraw('');
    if (this.#divertedTo !== undefined) this.#divertedTo(text);
    else this.#around.err(this.#toned(text, tone, this.#around.colours?.err));
  };

  /** Prints a log line to stderr. */
  readonly logLine = (line: string): void => {
    this.#around.err(terminalText(line));
  };

  /** Sends later stderr lines to a log instead; undefined ends that. */
  divert(to: ((line: string) => void) | undefined): void {
    this.#divertedTo = to;
  }

  /** Prints progress to stderr, unless --quiet. */
  readonly note = (text: string): void => {
    if (this.flags.quiet !== true) this.err(text);
  };

  /** Prints the one JSON document of an invocation. */
  readonly json = (value: unknown, indent: number | undefined = 2): void => {
    this.#hasDocument = true;
    this.data(terminalText(JSON.stringify(value, null, indent)));
  };

  /** Prints the one JSON document of an invocation, a possibly long array. */
  readonly jsonArray = (items: Iterable<unknown>): void => {
    this.#hasDocument = true;
    for (const line of jsonArrayLines(items)) this.data(terminalText(line));
  };

  /** True with --json: the result is one document. */
  get isJson(): boolean {
    return this.flags.json === true;
  }

  /** Prints a result: one document with --json, otherwise text for people. */
  readonly show = (document: unknown, text: () => string | readonly string[], indent = 2): void => {
    if (this.isJson) this.json(document, indent);
    else for (const line of [text()].flat()) this.out(line);
  };

  /** A table as wide as the terminal; `empty` replaces one without rows. */
  readonly table = (
    head: readonly string[],
    rows: readonly (readonly Cell[])[],
    { empty, ...wish }: TableOptions = {},
  ): string =>
    rows.length === 0 && empty !== undefined
      ? empty
      : textTable(head, rows, { columns: this.columns, ...wish });

  /** A table with one column per entry: its head, and the cell of a row. Numbers are grouped. */
  readonly tableOf = <Row>(
    rows: readonly Row[],
    columns: Readonly<Record<string, (row: Row) => Cell>>,
    wish: TableOptions = {},
  ): string => {
    const figures = new Set<string>(wish.figures);
    const cells = rows.map((row) =>
      Object.entries(columns).map(([head, cellOf]) => {
        const cell = cellOf(row);
        if (typeof cell !== 'number') return cell;
        figures.add(head);
        return grouped(cell);
      }),
    );
    return this.table(Object.keys(columns), cells, { ...wish, figures: [...figures] });
  };

  /** Records that other code printed the document. */
  noteDocument(): void {
    this.#hasDocument = true;
  }

  /** Prints a line for programs byte for byte: JSON and CSV. */
  readonly data = (line: string): void => {
    this.redraw('');
    this.#around.out(line);
  };

  /** Prints CSV: byte for byte for programs, without control characters on a terminal. */
  readonly csv = (lines: string): void =>
    this.data(this.columns === undefined ? lines : terminalText(lines));

  /** Echoes a prompt and typed input. */
  readonly typed = (text: string): void => {
    this.#around.draw(text);
  };

  /** Redraws the bottom line at most ten times a second. The next output clears it. */
  readonly progress = (line: string): void => {
    const now = this.clock.monotonic();
    if (now - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = now;
    this.redraw(line);
  };

  /** Redraws the bottom line of a terminal; '' clears it. */
  readonly redraw = (line: string): void => {
    if (line === '' ? !this.#isDrawn : !this.isTerminal) return;
    this.#isDrawn = line !== '';
    this.#around.draw(`\r\u001b[2K${terminalText(line)}`);
  };
}

/** A command module: adds arguments, options, help text and action. */
export interface CommandModule {
  /** @param commands all commands, for completion and manual */
  define(command: Command, io: CliIo, commands: readonly CommandEntry[]): void;
}

/** A command's line in `trendlake --help`, and its module. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Sources of the settings of this invocation. */
export const configSources = (
  { flags, env, cwd }: CliIo,
  overrides: Overrides = {},
): ConfigSources => ({
  flags: {
    ...overrides,
    ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }),
    ...(flags.verbose === true ? { log: 'debug' } : {}),
  },
  env,
  cwd,
  file: flags.config,
});

/**
 * Settings of this invocation.
 * @throws ConfigurationError listing all invalid settings
 */
export const configOf = (io: CliIo, overrides: Overrides = {}): Config => {
  const config = readConfig(configSources(io, overrides));
  readThresholds(config.eventThresholds); // checked here, because their names belong to the events
  return config;
};
