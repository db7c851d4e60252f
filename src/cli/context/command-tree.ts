import { Command } from 'commander';
import { addEverydayOptions } from './everyday-options.ts';
import type { CliIo, CommandEntry } from './io.ts';

/** An option, for completion and manual. */
interface OptionInfo {
  readonly flags: string;
  readonly long: string;
  readonly takesValue: boolean;
  readonly description: string;
}

/** A command with its subcommands. */
export interface CommandInfo {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly options: readonly OptionInfo[];
  readonly below: readonly CommandInfo[];
}

const infoOf = (command: Command): CommandInfo => ({
  name: command.name(),
  summary: command.description(),
  usage: command.usage(),
  options: command.options.map((option) => ({
    flags: option.flags,
    long: option.long ?? option.flags,
    takesValue: option.required || option.optional,
    description: option.description,
  })),
  below: command.commands.map(infoOf),
});

/** Commands with their options and subcommands. Runs no command. */
export const commandTree = async (
  commands: readonly CommandEntry[],
  io: CliIo,
): Promise<CommandInfo[]> => {
  const tree: CommandInfo[] = [];
  for (const { name, summary, load } of commands) {
    const command = new Command(name).description(summary);
    (await load()).define(command, io, commands);
    addEverydayOptions(command);
    tree.push(infoOf(command));
  }
  return tree;
};
