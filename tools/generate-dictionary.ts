import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getViewName, is, type SQL } from 'drizzle-orm';
import {
  getTableConfig,
  getViewConfig,
  SQLiteColumn,
  SQLiteSyncDialect,
  SQLiteTable,
  SQLiteView,
} from 'drizzle-orm/sqlite-core';

// Writes docs/reference/tables.md from schema/*.ts: each table and view with its comment, and its columns
// with their types and trailing comments.
//
//   npm run docs dictionary

const root = join(import.meta.dirname, '..');
const PATH = join(root, 'docs/reference/tables.md');

interface Column {
  name: string;
  type: string;
  key: boolean;
  nullable: boolean;
  meaning: string;
}
/** A table or view as the dictionary describes it. */
export interface Relation {
  name: string;
  about: string;
  columns: Column[];
  /** SQL of a view. */
  query?: string;
}

const DOC =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export const \w+ = (?:sqliteTable|sqliteView)\(\s*'(\w+)'/g;

/** The comment above each table or view, by name, without the part for developers (`Written by ...`). */
const docsIn = (source: string): Map<string, string> =>
  new Map(
    [...source.matchAll(DOC)].map(([, comment = '', name = '']) => [
      name,
      comment
        .replace(/^\s*\* ?/gm, '')
        .replace(/\bWritten by [\s\S]*/, '')
        .trim(),
    ]),
  );

/** The trailing comment of each column of a table's source, by column name. */
const columnComments = (source: string): Map<string, string> => {
  const comments = new Map<string, string>();
  let column = '';
  for (const line of source.split('\n')) {
    column = /\b(?:integer|text|real|blob|textNoCase)\('(\w+)'/.exec(line)?.[1] ?? column;
    const comment = /\/\/ (.+)$/.exec(line)?.[1];
    if (comment !== undefined && column !== '' && !comments.has(column))
      comments.set(column, comment);
  }
  return comments;
};

const tableOf = (table: SQLiteTable, source: string): Relation => {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const comments = columnComments(source);
  const keys = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
  return {
    name,
    about: docsIn(source).get(name) ?? '',
    columns: columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().split(' ')[0] ?? '',
      key: column.primary || keys.has(column.name),
      nullable: !column.notNull && !column.primary,
      meaning: comments.get(column.name) ?? '',
    })),
  };
};

/** The comments of a view's own columns, for those that no table behind it has. */
const ownComments = (source: string, view: string): Map<string, string> => {
  const declared = source.slice(source.indexOf(`sqliteView('${view}'`));
  const columns = declared.slice(0, declared.indexOf('.as('));
  const shared = /, (\w+)\)$/.exec(columns)?.[1];
  if (shared === undefined) return columnComments(columns);
  const listed = source.slice(source.indexOf(`const ${shared} = {`));
  return columnComments(listed.slice(0, listed.indexOf('\n};')));
};

const tablesBehind = (query: string): string[] => {
  let outer = query; // without what stands in brackets: subqueries read other tables
  while (/\([^()]*\)/.test(outer)) outer = outer.replace(/\([^()]*\)/g, '');
  return [...outer.matchAll(/(?:from|join) (\w+)/g)].map(([, table = '']) => table);
};

/** A view's column means what the first column of that name behind it means, unless it says so itself. */
const meaningIn = (tables: readonly Relation[], query: string, name: string, type: string) => {
  const columns = tablesBehind(query).flatMap(
    (table) => tables.find((relation) => relation.name === table)?.columns ?? [],
  );
  const meaning = columns.find((column) => column.name === name && column.meaning !== '')?.meaning;
  if (meaning === undefined) return '';
  if (meaning.startsWith('position in SOURCES')) return 'source, as a word';
  return type === 'text' ? meaning.replace('Unix ms', 'ISO 8601, UTC') : meaning;
};

const viewOf = (view: SQLiteView, source: string, tables: readonly Relation[]): Relation => {
  const name = getViewName(view);
  const config = getViewConfig(view);
  const query = new SQLiteSyncDialect().sqlToQuery(config.query as SQL).sql;
  const own = ownComments(source, name);
  const columns = Object.values(config.selectedFields).filter((field) => is(field, SQLiteColumn));
  return {
    name,
    about: docsIn(source).get(name) ?? '',
    query,
    columns: columns.map((column) => {
      const type = column.getSQLType();
      const meaning = own.get(column.name) ?? meaningIn(tables, query, column.name, type);
      return { name: column.name, type, key: false, nullable: !column.notNull, meaning };
    }),
  };
};

/** Types of columns that hold an instant, by how the comment of such a column begins. */
const TIMES: Readonly<Record<string, string>> = {
  'Unix ms': 'unix_ms',
  'ISO 8601, UTC': 'iso_utc',
};
const TIME = new RegExp(`^(${Object.keys(TIMES).join('|')})(?:[;,]? (.+))?$`);

/** Type and meaning of a column, as they follow its name. A column is text unless it says otherwise. */
const describedType = ({ type, key, meaning }: Column): string => {
  const [, unit = '', rest = unit === '' ? meaning : ''] = TIME.exec(meaning) ?? [];
  const shown = TIMES[unit] ?? type;
  return `${shown === 'text' ? '' : ` ${shown}`}${key ? ' (key)' : ''}${rest === '' ? '' : `: ${rest}`}`;
};

/** Columns in their order; neighbours that differ in their name only share a line. */
const columnLines = (columns: readonly Column[]): string => {
  const lines: { names: string[]; text: string }[] = [];
  for (const column of columns) {
    const name = `\`${column.name}\`${column.nullable ? '?' : ''}`;
    const text = describedType(column);
    const last = lines.at(-1);
    if (last?.text === text) last.names.push(name);
    else lines.push({ names: [name], text });
  }
  return lines.map(({ names, text }) => `- ${names.join(', ')}${text}`).join('\n');
};

/** The sections of a part. Equal columns are listed once, under the first name. */
const sectionsOf = (relations: readonly Relation[]): string[] => {
  const first = new Map<string, string>();
  return relations.map(({ name, about, columns }) => {
    const lines = columnLines(columns);
    const same = first.get(lines);
    first.set(lines, same ?? name);
    const shown = same === undefined ? lines : `- all columns of \`${same}\``;
    return [`### \`${name}\``, about, shown].join('\n\n');
  });
};

const INTRODUCTION = `# Tables

<!-- generated: change schema/*.ts, then npm run docs dictionary -->

Read the database \`<data dir>/trendlake.db\` with \`trendlake query "..."\` or any SQLite client.
[Querying](../guides/query.md) shows how, the [cookbook](../guides/cookbook.md) has thirty examples.

A column is text unless its type follows. Type \`unix_ms\` is an integer, \`iso_utc\` is ISO 8601 text. A
column with \`?\` may be null, which means unknown, never 0. The id of a video is the prefix of its
platform, \`_\` and its id there, such as \`tt_7240348510065823002\`. Names in the first two parts are
stable. The tables in the last part may change with an update.`;

/** Views for people, as the contract lists them. */
const FOR_PEOPLE = new Set([
  'feed_now',
  'trends_now',
  'video_history',
  'hashtag_history',
  'creator_history',
  'fresh_videos',
  'events_recent',
]);

/** Tables with stable names that views read too. */
const STABLE = new Set(['calls', 'events', 'models', 'run_items', 'watch_tags', 'watches']);

/** Tables that only trendlake's own work needs. */
const INTERNAL = new Set([
  'delivery_due',
  'event_progress',
  'import_progress',
  'meta',
  'pause',
  'quota_hint',
  'search_pending',
  'wanted_subjects',
]);

const STORAGE = `## Storage and state

The folder \`schema/\` describes the columns of these tables. Those with a view are read through it: \`video\`
as \`videos\`.`;

/** A table on one line, with the first sentence about it. */
const storageLine = ({ name, about }: Relation): string =>
  `- \`${name}\`: ${/^[\s\S]+?\.(?=\s|$)/.exec(about)?.[0].replace(/\s+/g, ' ')}`;

/** Every table and every view of the lake. */
export const lakeRelations = async (): Promise<{ tables: Relation[]; views: Relation[] }> => {
  const folder = join(root, 'schema');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const modules = await Promise.all(
    files.sort().map(async (name) => ({
      source: readFileSync(join(folder, name), 'utf8'),
      exported: Object.values((await import(join(folder, name))) as Record<string, unknown>),
    })),
  );
  const tables = modules.flatMap(({ source, exported }) =>
    exported.filter((value) => is(value, SQLiteTable)).map((table) => tableOf(table, source)),
  );
  const views = modules.flatMap(({ source, exported }) =>
    exported.filter((value) => is(value, SQLiteView)).map((view) => viewOf(view, source, tables)),
  );
  return { tables, views };
};

/** The data dictionary, as Markdown. */
export const dataDictionary = async (): Promise<string> => {
  const { tables, views } = await lakeRelations();
  const part = (title: string, relations: readonly Relation[]): string =>
    [`## ${title}`, ...sectionsOf(relations)].join('\n\n');
  const behind = new Set(
    views.flatMap(({ query = '' }) =>
      [...query.matchAll(/(?:from|join) (\w+)/g)].map(([, table]) => table),
    ),
  );
  const isPublic = ({ name }: Relation): boolean =>
    STABLE.has(name) || !(behind.has(name) || INTERNAL.has(name));
  const sorted = (relations: Relation[]): Relation[] =>
    relations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `${[
    INTRODUCTION,
    part('Views for people', sorted(views.filter(({ name }) => FOR_PEOPLE.has(name)))),
    part(
      'Tables to query',
      sorted([...views.filter(({ name }) => !FOR_PEOPLE.has(name)), ...tables.filter(isPublic)]),
    ),
    STORAGE,
    sorted(tables.filter((table) => !isPublic(table)))
      .map(storageLine)
      .join('\n'),
  ].join('\n\n')}\n`;
};

if (import.meta.main) writeFileSync(PATH, await dataDictionary());
