import { Command } from 'commander';
import type { CliIo, CommandEntry } from './io.ts';

/** Options of every command that take a value. */
const WITH_VALUE = ['--data-dir', '--config'];

/** Adds the common options to a command and its subcommands. */
export const addEverydayOptions = (command: Command): void => {
  command
    .optionsGroup('On every command:')
    .option('--data-dir <folder>', 'folder of the lake (TRENDLAKE_DATA_DIR)')
    .option('--config <file>', 'read these settings, not trendlake.config.json')
    .option(
      '--new-lake',
      'create an empty lake although backups or Parquet files of another one exist',
    )
    .option('--quiet', 'print only errors on stderr')
    .option('--verbose', 'log every call and step as JSON lines on stderr, and stacks of errors');
  for (const below of command.commands) addEverydayOptions(below);
};

/** First word of a command line that is neither an option nor its value. */
export const commandWord = (argv: readonly string[]): string | undefined =>
  argv.find(
    (word, i) => !word.startsWith('-') && !WITH_VALUE.some((option) => option === argv[i - 1]),
  );

/** Commands with their options and subcommands, for completion and manual. Runs no command. */
export const commandTree = (entries: readonly CommandEntry[], io: CliIo): Promise<Command[]> =>
  Promise.all(
    entries.map(async ({ name, summary, load }) => {
      const command = new Command(name).description(summary);
      (await load()).define(command, io, entries);
      addEverydayOptions(command);
      return command;
    }),
  );
