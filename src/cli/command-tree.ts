import { Command } from 'commander';
import { COMMANDS } from './commands.ts';
import { addEverydayOptions } from './everyday-options.ts';
import type { CliIo } from './io.ts';

/** An option as completion and manual show it. */
interface OptionInfo {
  readonly flags: string;
  readonly long: string;
  readonly takesValue: boolean;
  readonly description: string;
}

/** A command, and those below it. */
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

/** Every command of the command line, its options, and the commands below it. Runs none of them. */
export const commandTree = async (io: CliIo): Promise<CommandInfo[]> => {
  const tree: CommandInfo[] = [];
  for (const { name, summary, load } of COMMANDS) {
    const command = new Command(name).description(summary);
    (await load()).define(command, io);
    addEverydayOptions(command);
    tree.push(infoOf(command));
  }
  return tree;
};
