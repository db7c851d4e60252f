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

// Writes docs/data-dictionary.md from schema/*.ts: what the tables and views are called, what their
// comments say, the columns with their types and trailing comments.
//
//   npm run docs dictionary

const root = join(import.meta.dirname, '..');
const PATH = join(root, 'docs', 'data-dictionary.md');

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

/** What stands in the comment before each table or view of a source, by its name. */
const docsIn = (source: string): Map<string, string> =>
  new Map(
    [...source.matchAll(DOC)].map(([, comment = '', name = '']) => [
      name,
      comment.replace(/^\s*\* ?/gm, '').trim(),
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
  return columnComments(declared.slice(0, declared.indexOf('.as(')));
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
  if (meaning.startsWith('position in SOURCES')) return 'where it came from, a word';
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

const cell = (text: string): string => text.replaceAll('|', '\\|');

const sectionOf = ({ name, about, columns, query }: Relation): string =>
  [
    `### \`${name}\``,
    about,
    [
      `| column | type | ${query === undefined ? 'key | ' : ''}null | meaning |`,
      `| --- | --- | ${query === undefined ? '--- | ' : ''}--- | --- |`,
      ...columns.map(
        (column) =>
          `| \`${column.name}\` | ${column.type} | ${query === undefined ? `${column.key ? 'key' : ''} | ` : ''}${column.nullable ? 'may be' : ''} | ${cell(column.meaning)} |`,
      ),
    ].join('\n'),
  ].join('\n\n');

const INTRODUCTION = `# Data dictionary

Generated by \`npm run docs dictionary\` from \`schema/*.ts\`; do not edit. The database is
\`<data dir>/trendlake.db\`; read it with \`trendlake query "..."\` or any SQLite client.

Times are integer Unix milliseconds (UTC) in tables and their views, ISO 8601 UTC text in the views
for people. Null means "not known". The public names are those of the first two parts; the tables
behind them are compact and may change with a migration.`;

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
    [`## ${title}`, ...relations.map(sectionOf)].join('\n\n');
  const behind = new Set(
    views.flatMap(({ query = '' }) =>
      [...query.matchAll(/(?:from|join) (\w+)/g)].map(([, table]) => table),
    ),
  );
  const isPublic = ({ name }: Relation): boolean => !behind.has(name) || name === 'events';
  const sorted = (relations: Relation[]): Relation[] =>
    relations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `${[
    INTRODUCTION,
    part('Views for people', sorted(views.filter(({ name }) => FOR_PEOPLE.has(name)))),
    part(
      'Tables to query',
      sorted([...views.filter(({ name }) => !FOR_PEOPLE.has(name)), ...tables.filter(isPublic)]),
    ),
    part('Storage behind the views', sorted(tables.filter((table) => !isPublic(table)))),
  ].join('\n\n')}\n`;
};

if (import.meta.main) writeFileSync(PATH, await dataDictionary());
