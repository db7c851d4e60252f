import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataDictionary } from '../../tools/generate-dictionary.ts';
import { freshLake } from '../support/fresh.ts';

const COMMITTED = join(import.meta.dirname, '../../docs/reference/tables.md');

test('docs/reference/tables.md is what `npm run docs dictionary` writes', async () => {
  expect(readFileSync(COMMITTED, 'utf8')).toBe(await dataDictionary());
});

test('it describes every table and view of a lake, each with a sentence', async () => {
  const text = await dataDictionary();
  const { sqlite } = freshLake();
  const names = sqlite
    .prepare(
      "select name from pragma_table_list where schema = 'main' and type in ('table', 'view') and name not like 'sqlite_%'",
    )
    .pluck()
    .all() as string[];
  for (const name of names) {
    const start = new RegExp(`^(?:### \`${name}\`\n\n|- \`${name}\`: )`, 'm');
    const section = text.split(start)[1] ?? '';
    expect({ name, stated: section.split('\n')[0] }).toEqual({
      name,
      stated: expect.stringMatching(/^[A-Z].{10}/),
    });
  }
});
