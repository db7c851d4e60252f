import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../base/installation.ts';

/** One column, as the data dictionary describes it. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

/** A table or view, as the data dictionary describes it. */
export interface Described {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly DescribedColumn[];
}

/** A part of the dictionary, such as the views for people. */
export interface DictionaryPart {
  readonly title: string;
  readonly relations: readonly Described[];
}

/** A question of the cookbook with the SQL that answers it. */
export interface CookbookQuery {
  readonly question: string;
  readonly sql: string;
}

/** A page of the documentation, which stands beside package.json here and where it is installed. */
const docsText = (name: string): string =>
  readFileSync(join(packageFolder(), 'docs', name), 'utf8');

const bare = (text: string): string => text.replaceAll('`', '');

/** A column's line: its name, type and, after a colon, its meaning. */
const COLUMN = /^- `(\w+)` (\w+)\??(?:, key)?(?:: (.+))?$/;

const relationOf = (section: string): Described => {
  const [name = '', ...rest] = section.split('\n');
  const lines = rest.filter((line) => line !== '');
  return {
    name: bare(name.trim()),
    about: bare(lines.filter((line) => !COLUMN.test(line)).join(' ')),
    columns: lines.flatMap((line) => {
      const [, column, type, meaning] = COLUMN.exec(line) ?? [];
      if (column === undefined || type === undefined) return [];
      return [{ name: column, type, meaning: bare(meaning ?? '') }];
    }),
  };
};

/** The data dictionary, part by part, read from the page that is generated from the schema. */
export const readDictionary = (text = docsText('reference/tables.md')): DictionaryPart[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [head = '', ...sections] = part.split(/^### /m);
      return { title: head.trim(), relations: sections.map(relationOf) };
    });

/** The cookbook's questions, in their order. */
export const readCookbook = (text = docsText('guides/cookbook.md')): CookbookQuery[] =>
  [...text.matchAll(/^### (?:\d+\. )?(.+)\n\n```sql\n([\s\S]*?)\n```/gm)].map(
    ([, question = '', sql = '']) => ({ question, sql }),
  );
