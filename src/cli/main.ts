import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode, isStop, messageOf, TrendlakeError } from '../base/errors.ts';
import { commandText, isCheckout } from '../base/installation.ts';
import { lakeErrorOf } from '../lake/explain-error.ts';
import { COMMANDS } from './commands.ts';
import { addEverydayOptions, commandWord } from './context/command-tree.ts';
import { CliIo, configOf, type EverydayFlags, type Surroundings } from './context/io.ts';
import { processSurroundings } from './context/process-surroundings.ts';
import { versionText } from './context/version.ts';

/** Only in a checkout: an installed package has no npm script. */
const IN_A_CHECKOUT = isCheckout ? `\n\nIn a checkout: ${commandText('<command>')}` : '';

const EXAMPLES = `
Examples:
  trendlake sync                 pull once, load, export (without a key: from the built-in sandbox)
  trendlake demo --nights 14     two weeks of sample history, in one to four minutes
  trendlake query "select * from feed_now limit 5"
  trendlake <command> --help     what a command does, its options, examples${IN_A_CHECKOUT}`;

/** A failure: a sentence on stderr, and with --json one document on stdout. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exitCode: ExitCode;
  /** Commander has printed it already. */
  readonly isStated?: boolean;
  readonly stack?: string | undefined;
}

/** The first failure of a command. Closing what it used may have failed after that. */
const firstFailure = (error: unknown): unknown =>
  // by name: Node 22 has no global SuppressedError
  error instanceof Error && error.name === 'SuppressedError' && 'suppressed' in error
    ? firstFailure(error.suppressed)
    : error;

const failureOf = (error: unknown, io: CliIo): Failure => {
  if (error instanceof CommanderError) {
    const [message = '', ...more] = error.message.replace(/^error: /, '').split('\n');
    const hint = more.join(' ').replace(/^\(|\)$/g, '') || 'See --help.';
    return { code: 'usage', message, hint, exitCode: EXIT.usage, isStated: true };
  }
  if (isStop(error, io.signal) && !(error instanceof TrendlakeError)) {
    const message = `${messageOf(io.signal.reason)}.`;
    const hint = 'Finished work is kept. Run the command again to continue.';
    return { code: 'stopped', message, hint, exitCode: EXIT.paused };
  }
  const stated = error instanceof TrendlakeError ? error : lakeErrorOf(error, 'The lake');
  const stack = error instanceof Error ? error.stack : undefined;
  if (stated !== undefined) {
    const { code, message, exitCode } = stated;
    return {
      code,
      message,
      hint: null,
      exitCode,
      stack: io.flags.verbose === true ? stack : undefined,
    };
  }
  const message = `unexpected error: ${messageOf(error)}`;
  return { code: 'unexpected', message, hint: null, exitCode: EXIT.failed, stack };
};

const print = (failure: Failure, io: CliIo, asJson: boolean): void => {
  const { code, message, hint, isStated, stack } = failure;
  if (isStated !== true) io.err(`trendlake: ${message}${hint === null ? '' : ` ${hint}`}`, 'bad');
  if (stack !== undefined) io.err(stack, 'faint');
  if (asJson && !io.hasDocument) io.json({ error: { code, message, hint } });
};

/** Creates an empty lake even where another lake's backups or Parquet files lie. */
const startNewLake = async (io: CliIo): Promise<void> => {
  const { openLake } = await import('../lake/open.ts');
  openLake(configOf(io).dataDir, { newLake: true, report: io.err }).close();
};

/** All commands by name; only the requested one is loaded. */
const programFor = async (argv: readonly string[], io: CliIo): Promise<Command> => {
  const program = new Command('trendlake')
    .description('Keep the history of a viral-trend API: pull, query, export, serve.')
    .addHelpText('after', EXAMPLES)
    .version(versionText(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
    .showSuggestionAfterError()
    .showHelpAfterError(
      `\`${commandText('--help')}\` lists the commands, \`${commandText('<command> --help')}\` its options.`,
    )
    .hook('preAction', async (_, command) => {
      io.flags = { json: false, ...command.optsWithGlobals<EverydayFlags>() };
      if (io.flags.newLake === true) await startNewLake(io);
    });
  const named = commandWord(argv);
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).description(summary).helpCommand(false);
    if (named === name || (named === 'help' && argv.includes(name)))
      (await load()).define(command, io, COMMANDS);
  }
  addEverydayOptions(program);
  return program;
};

/** True if errors go to stdout as JSON. Before the options are parsed, reads the raw arguments. */
const wantsJson = (argv: readonly string[], { flags }: CliIo): boolean => {
  if (flags.json !== undefined) return flags.json;
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
};

/** Runs the command in `argv`. Resolves with the exit code; never throws. */
export const run = async (argv: readonly string[], around: Surroundings): Promise<number> => {
  const io = new CliIo(around);
  try {
    await (await programFor(argv, io)).parseAsync([...argv], { from: 'user' });
    return io.exitCode;
  } catch (thrown) {
    const error = firstFailure(thrown);
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.complete;
    const failure = failureOf(error, io);
    print(failure, io, wantsJson(argv, io));
    return failure.exitCode;
  } finally {
    io.redraw('');
  }
};

/** Runs the process with the real clock, streams and signals. */
export const main = async (): Promise<void> => {
  process.exitCode = await run(process.argv.slice(2), processSurroundings());
};
