import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command, CommanderError } from 'commander';
import { systemClock } from '../clock.ts';
import { EXIT, isStop, messageOf, TrendlakeError } from '../errors.ts';
import { lakeErrorOf } from '../lake/explain-error.ts';
import { COMMANDS } from './commands.ts';
import type { CliIo } from './io.ts';

const EXAMPLES = `
Examples:
  trendlake sync                 pull once, load, export (without a key: from the built-in sandbox)
  trendlake demo --nights 14     a fortnight of history in a minute
  trendlake query "select * from feed_now limit 5"
  trendlake <command> --help     what a command does, its options, examples

In a checkout: npm run -s trendlake -- <command>`;

/** The version of this package; its package.json stands above the source and the built files alike. */
const packageVersion = (): string => {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) throw new Error(`no package.json above ${import.meta.url}`);
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
};

/** Runs the command that `argv` names. Resolves with the exit code; never throws. */
export const run = async (argv: readonly string[], io: CliIo): Promise<number> => {
  const program = new Command('trendlake')
    .description('Memory for a viral-trend service: pull, keep, query, export, serve.')
    .addHelpText('after', EXAMPLES)
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
    .showSuggestionAfterError()
    .showHelpAfterError(
      '`trendlake --help` lists the commands, `trendlake <command> --help` its options.',
    );
  const asked = argv.find((word) => !word.startsWith('-'));
  try {
    for (const { name, summary, load } of COMMANDS) {
      const command = program.command(name).description(summary).helpCommand(false);
      if (asked === name || (asked === 'help' && argv.includes(name)))
        (await load()).define(command, io);
    }
    await program.parseAsync([...argv], { from: 'user' });
    return io.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.complete : EXIT.usage;
    if (isStop(error, io.signal)) {
      const why = messageOf(io.signal.reason);
      io.err(`trendlake: ${why}. What was done is kept; run the command again to go on.`);
      return EXIT.paused;
    }
    const told = error instanceof TrendlakeError ? error : lakeErrorOf(error, 'The lake');
    if (told !== undefined) {
      io.err(`trendlake: ${told.message}`);
      return told.exitCode;
    }
    io.err(`trendlake: something unexpected failed: ${messageOf(error)}`);
    if (error instanceof Error && error.stack !== undefined) io.err(error.stack);
    return EXIT.failed;
  }
};

/** The process: real clock, streams and signals around `run`. */
export const main = async (): Promise<void> => {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
      stopping.abort(new Error(`stopped by ${name}`));
    });
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0); // the reader, such as `head`, has enough
    throw error;
  });
  const io: CliIo = {
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    random: Math.random,
    signal: stopping.signal,
    isTerminal: process.stderr.isTTY === true,
    columns: process.stdout.columns,
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    draw: (text) => void process.stderr.write(text),
    exitCode: EXIT.complete,
  };
  process.exitCode = await run(process.argv.slice(2), io);
};
