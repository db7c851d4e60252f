import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../installation.ts';

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

const cellsOf = (line: string): string[] =>
  line
    .replaceAll('\\|', '\u0000')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.replaceAll('\u0000', '|').trim());

const bare = (text: string): string => text.replaceAll('`', '');

const relationOf = (section: string): Described => {
  const [name = '', ...rest] = section.split('\n');
  const lines = rest.filter((line) => line !== '');
  const rows = lines.filter((line) => line.startsWith('|'));
  const heads = cellsOf(rows[0] ?? '');
  return {
    name: bare(name.trim()),
    about: bare(lines.filter((line) => !line.startsWith('|')).join(' ')),
    columns: rows.slice(2).map((row) => {
      const cells = cellsOf(row);
      const of = (head: string): string => bare(cells[heads.indexOf(head)] ?? '');
      return { name: of('column'), type: of('type'), meaning: of('meaning') };
    }),
  };
};

/** The data dictionary, part by part, read from the page that is generated from the schema. */
export const readDictionary = (text = docsText('data-dictionary.md')): DictionaryPart[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [head = '', ...sections] = part.split(/^### /m);
      return { title: head.trim(), relations: sections.map(relationOf) };
    });

/** The cookbook's questions, in their order. */
export const readCookbook = (text = docsText('cookbook.md')): CookbookQuery[] =>
  [...text.matchAll(/^### (?:\d+\. )?(.+)\n\n```sql\n([\s\S]*?)\n```/gm)].map(
    ([, question = '', sql = '']) => ({ question, sql }),
  );
