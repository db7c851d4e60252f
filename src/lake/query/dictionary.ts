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

/** A line of columns: their names, type if it is not text, and, after a colon, meaning. */
const COLUMNS = /^- (`\w+`\??(?:, `\w+`\??)*)(?: (\w+))?(?: \(key\))?(?:: (.+))?$/;
const SAME_COLUMNS = /^- all columns of `(\w+)`$/;

/** Types of the page that hold an instant. */
const TIMES: Readonly<Record<string, { type: string; unit: string }>> = {
  unix_ms: { type: 'integer', unit: 'Unix ms' },
  iso_utc: { type: 'text', unit: 'ISO 8601, UTC' },
};

const columnsOf = (line: string): DescribedColumn[] => {
  const [, names, written = 'text', rest] = COLUMNS.exec(line) ?? [];
  if (names === undefined) return [];
  const { type, unit } = TIMES[written] ?? { type: written, unit: undefined };
  const meaning = [unit, rest].filter((part) => part !== undefined).join('; ');
  return [...names.matchAll(/\w+/g)].map(([name]) => ({ name, type, meaning: bare(meaning) }));
};

const relationOf = (section: string, earlier: readonly Described[]): Described => {
  const [name = '', ...rest] = section.split('\n');
  const lines = rest.filter((line) => line !== '');
  const isColumn = (line: string): boolean => COLUMNS.test(line) || SAME_COLUMNS.test(line);
  return {
    name: bare(name.trim()),
    about: bare(lines.filter((line) => !isColumn(line)).join(' ')),
    columns: lines.flatMap((line) => {
      const same = SAME_COLUMNS.exec(line)?.[1];
      return earlier.find((relation) => relation.name === same)?.columns ?? columnsOf(line);
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
      const relations: Described[] = [];
      for (const section of sections) relations.push(relationOf(section, relations));
      return { title: head.trim(), relations };
    });

/** The cookbook's questions, in their order. */
export const readCookbook = (text = docsText('guides/cookbook.md')): CookbookQuery[] =>
  [...text.matchAll(/^### (?:\d+\. )?(.+)\n\n```sql\n([\s\S]*?)\n```/gm)].map(
    ([, question = '', sql = '']) => ({ question, sql }),
  );
