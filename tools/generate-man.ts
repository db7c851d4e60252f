import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { virtualClock } from '../src/base/clock.ts';
import { SETTINGS } from '../src/base/config/settings.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { commandTree } from '../src/cli/context/command-tree.ts';
import { CliIo } from '../src/cli/context/io.ts';

// Writes dist/trendlake.1, the manual page of the package, from the commands, options and settings in
// the code: part of npm run build.

const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

const EVERYDAY = ['--data-dir', '--config', '--quiet', '--verbose'];

const commandLines = (command: Command, before = ''): string[] => {
  const name = `${before}${command.name()}`;
  const own = command.options.filter(({ long }) => !EVERYDAY.includes(long ?? ''));
  return [
    `.SS ${escaped(`${name} ${command.usage()}`)}`,
    escaped(command.description()),
    ...own.flatMap(({ flags, description }) => [
      '.TP',
      `.B ${escaped(flags)}`,
      escaped(description),
    ]),
    ...command.commands.flatMap((below) => commandLines(below, `${name} `)),
  ];
};

const nowhere = new CliIo({
  env: {},
  cwd: '/',
  clock: virtualClock(0),
  random: () => 0,
  signal: new AbortController().signal,
  isTerminal: false,
  columns: undefined,
  out: () => {},
  err: () => {},
  draw: () => {},
});

/** The page, in the macros of man(7). */
export const manPage = async (): Promise<string> => {
  const tree = await commandTree(COMMANDS, nowhere);
  const everyday = tree[0]?.options.filter(({ long }) => EVERYDAY.includes(long ?? '')) ?? [];
  return `${[
    '.TH TRENDLAKE 1',
    '.SH NAME',
    'trendlake \\- keep the history of a viral\\-trend API',
    '.SH SYNOPSIS',
    '.B trendlake',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...tree.flatMap((command) => commandLines(command)),
    '.SH OPTIONS OF EVERY COMMAND',
    ...everyday.flatMap(({ flags, description }) => [
      '.TP',
      `.B ${escaped(flags)}`,
      escaped(description),
    ]),
    '.SH ENVIRONMENT',
    ...Object.values(SETTINGS).flatMap(({ env, help }) => ['.TP', `.B ${env}`, escaped(help)]),
    '.SH FILES',
    '.TP',
    '.B trendlake.config.json',
    'Settings. The environment wins over the file, and flags win over both.',
    '.SH EXIT STATUS',
    '0 complete; 1 failed; 2 wrong usage or configuration; 3 partial; 75 paused or stopped, the next run resumes.',
  ].join('\n')}\n`;
};

if (import.meta.main)
  writeFileSync(join(import.meta.dirname, '..', 'dist', 'trendlake.1'), await manPage());
