import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name));

/** Tables by the file that defines them; `variable` is what drizzle's builder calls them by. */
const TABLES = filesOf('schema').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/export const (\w+) = sqliteTable\(\s*'(\w+)'/g)].map(
    ([, variable = '', name = '']) => ({ name, variable, file }),
  ),
);

/** Copies of whole rows between lake files (`main.`) and SQLite's own tables are no writes of a table's facts. */
const WRITES =
  /\b(?:insert(?: or \w+)? into|replace into|delete from|update) (\w+)(?= (?:set|values|select|where|\()|[\s(`'"])|\.(?:insert|update|delete)\((\w+)\)/gi;

/** The shared ledger has separate tables in PostgreSQL, some under the same names. */
const LEDGER_ROOM = join(root, 'src', 'upstream', 'ledger-postgres');
const isOfLake = (file: string): boolean => !file.startsWith(LEDGER_ROOM);

/** The files of the program that write each table. */
const writers = (): Map<string, Set<string>> => {
  const found = new Map(TABLES.map(({ name }) => [name, new Set<string>()]));
  for (const file of [...filesOf('src'), ...filesOf('jobs')].filter(isOfLake))
    for (const [, named, built] of readFileSync(file, 'utf8').matchAll(WRITES)) {
      const table = TABLES.find(({ name, variable }) =>
        named === undefined ? variable === built : name === named,
      );
      if (table !== undefined) found.get(table.name)?.add(relative(root, file));
    }
  return found;
};

test('each table is written in one file', () => {
  const several = [...writers()].filter(([, files]) => files.size !== 1);
  expect(several.map(([name, files]) => `${name}: ${[...files].join(', ')}`)).toEqual([]);
});

test('each table names its writer in the comment above it', () => {
  const silent = TABLES.filter(({ name, file }) => {
    const text = readFileSync(file, 'utf8');
    const comment =
      text
        .slice(0, text.indexOf(`'${name}'`))
        .match(/\/\*\*[\s\S]*?\*\//g)
        ?.at(-1) ?? '';
    return ![...(writers().get(name) ?? [])].every((writer) => comment.includes(writer));
  });
  expect(
    silent.map(({ name, file }) => `${relative(root, file)}: ${[...(writers().get(name) ?? [])]}`),
  ).toEqual([]);
});

test('each table of the shared ledger is written in one file', () => {
  const texts = filesOf('src/upstream/ledger-postgres').map((file) => readFileSync(file, 'utf8'));
  const tables = texts.flatMap((text) =>
    [...text.matchAll(/create table if not exists (\w+)/g)].map(([, name = '']) => name),
  );
  const writing = tables.map((table) =>
    texts.filter((text) => [...text.matchAll(WRITES)].some(([, name]) => name === table)),
  );
  expect(tables.length).toBeGreaterThan(5);
  expect(writing.map((files) => files.length)).toEqual(tables.map(() => 1));
});
