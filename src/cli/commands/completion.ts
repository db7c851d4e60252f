import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { type CommandInfo, commandTree } from '../context/command-tree.ts';
import type { CliIo, CommandEntry } from '../context/io.ts';

const HELP = `
Examples:
  trendlake completion bash > ~/.local/share/bash-completion/completions/trendlake
  trendlake completion zsh > ~/.zfunc/_trendlake       with fpath+=~/.zfunc before compinit
  trendlake completion fish > ~/.config/fish/completions/trendlake.fish`;

const wordsOf = ({ options, below }: CommandInfo): string =>
  [...below.map(({ name }) => name), ...options.map(({ long }) => long), '--help'].join(' ');

/** Every command with its path: `keys`, `keys create`. */
const paths = (tree: readonly CommandInfo[], before = ''): [string, CommandInfo][] =>
  tree.flatMap((command) => {
    const path = `${before}${command.name}`;
    return [[path, command] as [string, CommandInfo], ...paths(command.below, `${path} `)];
  });

const bash = (tree: readonly CommandInfo[]): string => `# bash completion of trendlake
_trendlake() {
  local word=\${COMP_WORDS[COMP_CWORD]} path= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in -*) ;; *) path+="\${path:+ }\${COMP_WORDS[i]}" ;; esac
  done
  local words
  case $path in
    '') words='${tree.map(({ name }) => name).join(' ')} --help --version' ;;
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

const zsh = (tree: readonly CommandInfo[]): string => `#compdef trendlake
# zsh completion of trendlake
_trendlake() {
  local -a given offered
  given=(\${words[2,CURRENT-1]})
  local path="\${(j: :)given:#-*}"
  case $path in
    '') offered=(${tree.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ')}) ;;
${paths(tree)
  .map(
    ([path, { options, below }]) =>
      `    '${path}'*) offered=(${[
        ...below.map(({ name, summary }) => quoted(`${name}:${summary}`)),
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

const fish = (tree: readonly CommandInfo[]): string => {
  const names = tree.map(({ name }) => name).join(' ');
  const lines = tree.flatMap(({ name, summary, options, below }) => [
    `complete -c trendlake -n "not __fish_seen_subcommand_from ${names}" -f -a ${name} -d ${quoted(summary)}`,
    ...below.map(
      (command) =>
        `complete -c trendlake -n "__fish_seen_subcommand_from ${name}" -f -a ${command.name} -d ${quoted(command.summary)}`,
    ),
    ...[...options, ...below.flatMap((command) => command.options)].map(
      ({ long, takesValue, description }) =>
        `complete -c trendlake -n "__fish_seen_subcommand_from ${name}" -l ${long.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(description)}`,
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
