import { Command } from 'commander';
import { addEverydayOptions } from './everyday-options.ts';
import type { CliIo, CommandEntry } from './io.ts';

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
