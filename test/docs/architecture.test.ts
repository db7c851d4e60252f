import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'oxc-parser';
import { expect, test } from 'vitest';
import { type Source, sourcesIn } from '../support/syntax.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/internals/architecture.md'), 'utf8');

/** The part of the page under a heading. */
const under = (heading: string): string =>
  page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

const rowsOf = (heading: string): string[][] =>
  [...under(heading).matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | '));

test('every house has its row', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true });
  const houses = folders
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `\`src/${name}/\``);
  const named = rowsOf('Houses').map(([house]) => house);
  expect(named).toEqual(expect.arrayContaining([...houses, '`schema/`', '`jobs/`']));
});

test('every room of a house is named in its row', () => {
  const missing = rowsOf('Houses').flatMap(([house = '', rooms = '']) => {
    const folder = house.replaceAll('`', '');
    if (!folder.startsWith('src/')) return [];
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !rooms.includes(`\`${entry.name}/\``))
      .map(({ name }) => folder + name);
  });
  expect(missing).toEqual([]);
});

test('every file and folder that the page names is there', () => {
  const paths = [...page.matchAll(/`((?:src|schema|jobs|test|fixtures|docs|tools)\/[\w/.-]*)`/g)];
  const missing = paths
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

interface Step {
  readonly name: string; // such as `decodeItem` or `Loader.write`
  readonly file: string;
  /** The text of the function; undefined if its file has no such function. */
  readonly text: string | undefined;
}

const textOf = ({ nodes, text }: Source, name: string): string | undefined => {
  const [owner = '', method] = name.split('.');
  const isCalled = (node: Node, wanted: string): boolean =>
    'name' in node && node.name === wanted && (node.type as string) === 'Identifier';
  const holder = nodes.find((node) =>
    method === undefined
      ? node.type === 'VariableDeclarator' && isCalled(node.id, owner)
      : node.type === 'ClassDeclaration' && node.id?.name === owner,
  );
  const found =
    method === undefined || holder === undefined
      ? holder
      : nodes.find(
          (node) =>
            node.type === 'MethodDefinition' &&
            isCalled(node.key, method) &&
            node.start > holder.start &&
            node.end < holder.end,
        );
  return found === undefined ? undefined : text.slice(found.start, found.end);
};

const sources = new Map(sourcesIn('src').map((source) => [source.path, source]));

const traceSteps = (): Step[] => {
  let file = '';
  return rowsOf('The trace')
    .filter(([number]) => /^\d+$/.test(number ?? ''))
    .map(([, function_ = '', stated = '']) => {
      file = /`(.+)`/.exec(stated)?.[1] ?? file;
      const name = function_.replaceAll('`', '');
      const source = sources.get(file);
      return { name, file, text: source === undefined ? undefined : textOf(source, name) };
    });
};

/**
 * The caller of a step that the step before does not call: it takes the result further, or hands
 * the step over.
 */
const CALLED_FROM: Readonly<Record<string, string>> = {
  decodeResponse: 'src/run/run/run.ts',
  decodeItem: 'src/upstream/decode/decode.ts',
  readCount: 'src/base/wire/field-table.ts',
  loadResponse: 'src/run/run/run.ts',
  'PartitionReader.readTogether': 'src/output/parquet/install-partition.ts',
  'ParquetWriter.add': 'src/output/parquet/install-partition.ts',
};

test('the trace: every function stands in its file and is called by the one before', () => {
  const steps = traceSteps();
  expect(steps.filter(({ text }) => text === undefined)).toEqual([]);
  const uncalled = steps.filter(({ name }, index) => {
    const from = CALLED_FROM[name];
    const text = from === undefined ? steps[index - 1]?.text : sources.get(from)?.text;
    const called = name.split('.').at(-1);
    return !new RegExp(`\\b${called}\\b[^:;=]`).test(text ?? '');
  });
  expect(uncalled.map(({ name }) => name)).toEqual([]);
});

test('the trace is at most 15 functions in 9 files, and the number has 4 shapes on it', () => {
  const steps = traceSteps();
  expect(steps.length).toBeLessThanOrEqual(15);
  expect(new Set(steps.map(({ file }) => file)).size).toBeLessThanOrEqual(9);
  expect(page).toContain('The number has four shapes on its way: ');
});
