import type { Command } from 'commander';

/** Options that every command takes, and that take a value. */
const WITH_VALUE = ['--data-dir', '--config'];

/** Gives a command, and each below it, what every command takes. Stands first or last on a line. */
export const addEverydayOptions = (command: Command): void => {
  command
    .optionsGroup('On every command:')
    .option('--data-dir <folder>', 'folder of the lake (TRENDLAKE_DATA_DIR)')
    .option('--config <file>', 'read these settings, not trendlake.config.json')
    .option('--new-lake', 'start an empty lake where a former one left backups or Parquet files')
    .option('--quiet', 'on stderr only what went wrong')
    .option('--verbose', 'every call and step as JSON lines on stderr; of an error its stack');
  for (const below of command.commands) addEverydayOptions(below);
};

/** The first word of a command line that is neither an option nor the value of one. */
export const commandWord = (argv: readonly string[]): string | undefined =>
  argv.find(
    (word, i) => !word.startsWith('-') && !WITH_VALUE.some((option) => option === argv[i - 1]),
  );
