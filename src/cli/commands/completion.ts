import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { commandTree } from '../context/command-tree.ts';
import type { CliIo, CommandEntry } from '../context/io.ts';

const HELP = `
Examples:
  trendlake completion bash > ~/.local/share/bash-completion/completions/trendlake
  trendlake completion zsh > ~/.zfunc/_trendlake       with fpath+=~/.zfunc before compinit
  trendlake completion fish > ~/.config/fish/completions/trendlake.fish`;

const wordsOf = ({ options, commands }: Command): string =>
  [...commands.map((below) => below.name()), ...options.map(({ long }) => long), '--help'].join(
    ' ',
  );

/** Every command with its path: `keys`, `keys create`. */
const paths = (tree: readonly Command[], before = ''): [string, Command][] =>
  tree.flatMap((command) => {
    const path = `${before}${command.name()}`;
    return [[path, command], ...paths(command.commands, `${path} `)];
  });

const bash = (tree: readonly Command[]): string => `# bash completion of trendlake
_trendlake() {
  local word=\${COMP_WORDS[COMP_CWORD]} path= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in -*) ;; *) path+="\${path:+ }\${COMP_WORDS[i]}" ;; esac
  done
  local words
  case $path in
    '') words='${tree.map((command) => command.name()).join(' ')} --help --version' ;;
${paths(tree)
  .map(([path, command]) => `    '${path}'*) words='${wordsOf(command)}' ;;`)
  .reverse()
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ \${#COMPREPLY[@]} -eq 0 && $word != -* ]] && COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _trendlake trendlake
`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const described = (command: Command): string =>
  quoted(`${command.name()}:${command.description()}`);

const zsh = (tree: readonly Command[]): string => `#compdef trendlake
# zsh completion of trendlake
_trendlake() {
  local -a given offered
  given=(\${words[2,CURRENT-1]})
  local path="\${(j: :)given:#-*}"
  case $path in
    '') offered=(${tree.map(described).join(' ')}) ;;
${paths(tree)
  .map(
    ([path, { options, commands }]) =>
      `    '${path}'*) offered=(${[
        ...commands.map(described),
        ...options.map(({ long, description }) => quoted(`${long}:${description}`)),
      ].join(' ')}) ;;`,
  )
  .reverse()
  .join('\n')}
  esac
  _describe 'trendlake' offered || _files
}
compdef _trendlake trendlake
`;

const fish = (tree: readonly Command[]): string => {
  const names = tree.map((command) => command.name()).join(' ');
  const offer = (when: string, command: Command): string =>
    `complete -c trendlake -n "${when} ${command.parent === null ? names : command.parent.name()}" -f -a ${command.name()} -d ${quoted(command.description())}`;
  const lines = tree.flatMap((command) => [
    offer('not __fish_seen_subcommand_from', command),
    ...command.commands.map((below) => offer('__fish_seen_subcommand_from', below)),
    ...[command, ...command.commands]
      .flatMap(({ options }) => options)
      .map(
        ({ long, required, optional, description }) =>
          `complete -c trendlake -n "__fish_seen_subcommand_from ${command.name()}" -l ${long?.slice(2)}${required || optional ? ' -r' : ''} -d ${quoted(description)}`,
      ),
  ]);
  return `# fish completion of trendlake\n${[...new Set(lines)].join('\n')}\n`;
};

const SHELLS = new Map(Object.entries({ bash, zsh, fish }));

export const define = (command: Command, io: CliIo, commands: readonly CommandEntry[]): void => {
  command
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', HELP)
    .action(async (shell: string) => {
      const script = SHELLS.get(shell);
      const names = [...SHELLS.keys()];
      if (script === undefined)
        throw new UsageError(
          `No completion exists for ${shell}, only for ${names.join(', ')}.${didYouMean(shell, names)}`,
        );
      io.data(script(await commandTree(commands, io)).trimEnd());
    });
};
