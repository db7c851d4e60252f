import { expect, test } from 'vitest';
import { openLake } from '../../../src/lake/open.ts';
import { readCookbook, readDictionary } from '../../../src/lake/query/dictionary.ts';
import { freshFolder } from '../../support/fresh.ts';

test('every table, view and column of a lake is described, and nothing that is not there', () => {
  const lake = openLake(freshFolder());
  const columnsOf = lake.sqlite
    .prepare('select name, lower(type) from pragma_table_xinfo(?)')
    .raw();
  const isTable = lake.sqlite.prepare(
    "select 1 from sqlite_schema where type = 'table' and name = ?",
  );
  const described = readDictionary().flatMap(({ relations }) => relations);
  expect(described.length).toBeGreaterThan(30);
  for (const { name, columns } of described) {
    const stored = columnsOf.all(name) as [string, string][];
    expect([name, columns.map((column) => column.name)]).toEqual([name, stored.map(([is]) => is)]);
    const types = columns.map(({ type }) => type);
    if (isTable.get(name) !== undefined)
      expect([name, types]).toEqual([name, stored.map(([, type]) => type)]);
  }
  lake.close();
});

test('the questions of the cookbook are read with their SQL', () => {
  const recipes = readCookbook();
  expect(recipes.length).toBe(30);
  expect(recipes[0]).toEqual({
    question: 'What leads each feed now?',
    sql: 'select platform, rank, user, views\nfrom feed_now\nwhere rank = 1\norder by platform',
  });
});

test('a column is read with its type and meaning, whatever marks they have', () => {
  const [part] = readDictionary(
    '## Views\n\n### `v`\n\nAbout `v`.\n\n- `k` integer (key)\n- `a`, `b`?: `x` | `y`: z\n- `t`? unix_ms: later\n',
  );
  expect(part).toEqual({
    title: 'Views',
    relations: [
      {
        name: 'v',
        about: 'About v.',
        columns: [
          { name: 'k', type: 'integer', meaning: '' },
          { name: 'a', type: 'text', meaning: 'x | y: z' },
          { name: 'b', type: 'text', meaning: 'x | y: z' },
          { name: 't', type: 'integer', meaning: 'Unix ms; later' },
        ],
      },
    ],
  });
});

test('a view with the columns of another has their meanings', () => {
  const [part] = readDictionary(
    '## Views\n\n### `v`\n\nV.\n\n- `k` iso_utc\n\n### `w`\n\nW.\n\n- all columns of `v`\n',
  );
  const columns = [{ name: 'k', type: 'text', meaning: 'ISO 8601, UTC' }];
  expect(part?.relations).toEqual([
    { name: 'v', about: 'V.', columns },
    { name: 'w', about: 'W.', columns },
  ]);
});
