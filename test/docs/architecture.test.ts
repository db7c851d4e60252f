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

const foldersIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

test.each(foldersIn('src'))('src/%s/README.md names every room of its house', (house) => {
  const readme = readFileSync(join(root, 'src', house, 'README.md'), 'utf8');
  const missing = foldersIn(`src/${house}`).filter((room) => !readme.includes(`\`${room}/\``));
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
    'name' in node &&
    (node.type as string).endsWith('Identifier') &&
    (node.type === 'PrivateIdentifier' ? `#${node.name}` : node.name) === wanted;
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
            (node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') &&
            isCalled(node.key, method) &&
            node.start > holder.start &&
            node.end < holder.end,
        );
  return found === undefined ? undefined : text.slice(found.start, found.end);
};

const sources = new Map(sourcesIn('src').map((source) => [source.path, source]));

const stepsUnder = (heading: string): Step[] => {
  let file = '';
  return [...under(heading).matchAll(/^\d+\. `([^`]+)`(?: in `([^`]+)`)?: /gm)].map(
    ([, name = '', stated = file]) => {
      file = stated;
      const source = sources.get(file);
      return { name, file, text: source === undefined ? undefined : textOf(source, name) };
    },
  );
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
  withoutErased: 'src/ingest/responses/load-response.ts',
  loadVideos: 'src/ingest/responses/load-response.ts',
  'Loader.write': 'src/ingest/writers/loader.ts',
  exportLake: 'src/cli/commands/export.ts',
  exportPartitions: 'src/output/parquet/run-export.ts',
  'PartitionInstaller.install': 'src/output/parquet/export-partitions.ts',
  'ParquetWriter.add': 'src/output/parquet/install-partition.ts',
  'ParquetWriter.closeGroup': 'src/output/parquet/install-partition.ts',
  finishPage: 'src/output/parquet/write-parquet.ts',
  'GrowingFile.write': 'src/output/parquet/install-partition.ts',
  'GrowingFile.#keep': 'src/output/parquet/install-file.ts',
  'AssembledService.#respond': 'src/serve/assembled-service.ts',
  letIn: 'src/serve/app.ts',
  respondGet: 'src/serve/app.ts',
  trendsRoute: 'src/serve/app.ts',
  latestPulled: 'src/lake/lists/video-lists.ts',
  contentItems: 'src/lake/lists/video-lists.ts',
  respond: 'src/serve/request/respond-get.ts',
};

test.each(['The trace', 'One request through the service'])(
  '%s: every function stands in its file and is called by the one before',
  (heading) => {
    const steps = stepsUnder(heading);
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.filter(({ text }) => text === undefined)).toEqual([]);
    const uncalled = steps.slice(1).filter(({ name }, index) => {
      const from = CALLED_FROM[name];
      const text = from === undefined ? steps[index]?.text : sources.get(from)?.text;
      const called = name.split('.').at(-1)?.replace('#', '');
      return !new RegExp(`\\b${called}\\b[^:;=]`).test(text ?? '');
    });
    expect(uncalled.map(({ name }) => name)).toEqual([]);
  },
);

test('the trace is at most 35 functions in 18 files, and the number has 5 shapes on it', () => {
  const steps = stepsUnder('The trace');
  expect(steps.length).toBeLessThanOrEqual(35);
  expect(new Set(steps.map(({ file }) => file)).size).toBeLessThanOrEqual(18);
  expect(page).toContain('The number has five shapes: ');
});
