import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { BENCHES } from '../../bench/benches.ts';
import { PROOFS } from '../../prove/proofs.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { addEverydayOptions } from '../../src/cli/context/command-tree.ts';
import type { CliIo } from '../../src/cli/context/io.ts';
import { PARTS } from '../../tools/generate-docs.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const PAGES = ['README.md', 'CONTRIBUTING.md', ...pages.sort()];

/** Every command as it can be typed, and its options. */
const known = async (): Promise<Map<string, Set<string>>> => {
  const options = new Map<string, Set<string>>();
  const add = (name: string, command: Command): void => {
    options.set(name, new Set(['--help', ...command.options.map(({ long }) => long ?? '')]));
    for (const below of command.commands) add(`${name} ${below.name()}`, below);
  };
  for (const { name, load } of COMMANDS) {
    const command = new Command(name);
    (await load()).define(command, {} as CliIo, COMMANDS);
    addEverydayOptions(command);
    add(name, command);
  }
  return options;
};

/** Everything that a page shows as code: fenced, indented, or inside a sentence. */
const codeOf = (page: string): string[] =>
  [...page.matchAll(/^```\w*\n([\s\S]*?)^```$|^ {4}(.*)$|`([^`\n]+)`/gm)].flatMap(
    ([, fenced, indented, inline]) => (fenced ?? indented ?? inline ?? '').split('\n'),
  );

/** Command lines of trendlake on a page, without its name. */
const linesOf = (page: string): string[] =>
  codeOf(page).flatMap((code) =>
    [...code.matchAll(/(?:^|env |' |run -s )trendlake (?:-- )?([a-z][^|;)#]*)/g)].map(
      ([, line = '']) => line,
    ),
  );

test.each(PAGES)('every command and option that %s shows is one', async (path) => {
  const commands = await known();
  const wrong = linesOf(read(path)).filter((line) => {
    const [first = '', second = ''] = line.split(/\s+/);
    const options = commands.get(`${first} ${second}`) ?? commands.get(first);
    if (options === undefined) return true;
    const given = line.replace(/"[^"]*"|'[^']*'/g, '').match(/(?<=\s)--[a-z-]+/g) ?? [];
    return given.some((option) => !options.has(option));
  });
  expect(wrong).toEqual([]);
});

test('command lines are found on the pages', () => {
  expect(PAGES.flatMap((path) => linesOf(read(path))).length).toBeGreaterThan(30);
});

/** Entries of the npm scripts that take one: `npm run bench export`. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  bench: Object.keys(BENCHES),
  prove: ['all', ...Object.keys(PROOFS)],
  docs: Object.keys(PARTS),
};

test.each(PAGES)('every npm script that %s shows is one', (path) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = codeOf(read(path)).flatMap((code) => [
    ...code.matchAll(/npm run (?:-s )?([a-z][\w-]*(?::[\w-]+)?)(?: ([a-z][\w-]*))?/g),
  ]);
  const wrong = named.filter(
    ([, script = '', entry]) =>
      !(script in scripts) || (entry !== undefined && ENTRIES[script]?.includes(entry) === false),
  );
  expect(wrong.map(([command]) => command)).toEqual([]);
});

test('every bench and proof with an entry has its file', () => {
  const scripts = [
    ...Object.keys(BENCHES).map((name) => `bench/${name}.ts`),
    ...Object.entries(PROOFS).flatMap(([name, { tests }]) => tests ?? [`prove/${name}.ts`]),
    ...Object.values(PARTS).flatMap(({ run }) => run.filter((part) => part.includes('/'))),
  ];
  expect(scripts.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

test.each(PAGES)('every page and heading that %s links to is there', (path) => {
  const links = [...read(path).matchAll(/\]\(([^):]+)\)/g)].map(([, link = '']) => link);
  const missing = links.filter((link) => {
    const [page = '', anchor] = link.split('#');
    const target = page === '' ? path : join(dirname(path), page);
    if (!existsSync(join(root, target))) return true;
    const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      anchorOf(text),
    );
    return anchor !== undefined && !headings.includes(anchor);
  });
  expect(missing).toEqual([]);
});
