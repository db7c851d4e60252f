import type Database from 'better-sqlite3';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { prepare } from '../prepare.ts';

const FIRST_WORD = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|;)*([a-z]+)/i;
const READING = new Set(['select', 'with', 'values', 'explain']);
/** The path of the data directory is private. */
const TELLS_PATHS = /database_list/i;

/** Tables that hold what belongs to single keys. */
export const CLOSED_TABLES: readonly string[] = [
  'subscriptions',
  'deliveries',
  'delivery_due',
  'wanted_subjects',
  'conditions',
  'received_hooks',
  'alerts',
  'alert_hits',
];

/** Columns that hold paths of this machine, or what an import or a response brought, as it came. */
export const CLOSED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  import_progress: ['path'],
  rejected_items: ['origin', 'item'],
};

/** A table or an index, with its columns in the order of its b-tree. */
interface Opened {
  readonly table: string;
  readonly columns: readonly string[];
  readonly isIndex: boolean;
}

const openedBy = (sqlite: Database.Database): Map<number, Opened> => {
  const columnsIn = (pragma: string, name: string): string[] =>
    prepare(sqlite, `select coalesce(name, '') from ${pragma}(?)`, 'text').all(name);
  const known = prepare(
    sqlite,
    'select rootpage, tbl_name, name, type from sqlite_schema where rootpage > 0',
    ['number', 'text', 'text', 'text'],
  );
  const found = new Map<number, Opened>();
  for (const [root, table, name, type] of known.iterate()) {
    const isIndex = type === 'index';
    const columns =
      CLOSED_COLUMNS[table] === undefined
        ? []
        : columnsIn(isIndex ? 'pragma_index_info' : 'pragma_table_info', name);
    found.set(root, { table, columns, isIndex });
  }
  return found;
};

const refuse = (name: string): never => {
  throw new UsageError(
    `${name} is not open to queries from here: it holds what belongs to single keys or to this machine. \`${commandText('query')}\` on the machine itself reads it.`,
  );
};

/** Entering an index reveals its columns, so it counts as reading. A count enters none. */
const ENTERS = /^(?:Rewind|Last|Seek|Found|NotFound|NoConflict)/;

/**
 * Refuses to read closed tables and columns, by name or through a view or an index, and facts about
 * the machine. Checks the compiled statement, not its words.
 * @throws UsageError naming the table or column
 */
export const refuseClosed = (sqlite: Database.Database, sql: string): void => {
  const word = FIRST_WORD.exec(sql)?.[1]?.toLowerCase() ?? '';
  if (!READING.has(word) || TELLS_PATHS.test(sql))
    throw new UsageError(
      'Only SELECT, WITH, VALUES and EXPLAIN are run here. Nothing was changed.',
    );
  if (word === 'explain') return; // opens nothing
  const opened = openedBy(sqlite);
  const instructions = prepare(sqlite, `explain ${sql}`, {
    addr: 'number',
    opcode: 'text',
    p1: 'number',
    p2: 'number',
    p3: 'number',
    p4: 'any',
    p5: 'number',
    comment: 'any',
  }).all();
  const cursors: (Opened & { readonly cursor: number })[] = [];
  for (const { opcode, p1, p2, p3 } of instructions) {
    if (!/^(?:Open(?:Read|Write)|ReopenIdx)$/.test(opcode) || p3 !== 0) continue;
    const found = opened.get(p2);
    const table = p2 === 1 ? 'sqlite_schema' : found?.table;
    if (table === undefined || CLOSED_TABLES.includes(table) || table.startsWith('sqlite_stat'))
      refuse(table ?? 'A table of this query');
    if (found !== undefined && CLOSED_COLUMNS[found.table] !== undefined)
      cursors.push({ ...found, cursor: p1 });
  }
  for (const { cursor, table, columns, isIndex } of cursors) {
    const closed = (CLOSED_COLUMNS[table] ?? []).filter((name) => columns.includes(name));
    const read = instructions.find(
      ({ opcode, p1, p2 }) =>
        p1 === cursor &&
        (isIndex
          ? closed.length > 0 && ENTERS.test(opcode)
          : opcode === 'Column' && closed.includes(columns[p2] ?? '')),
    );
    if (read !== undefined) refuse(`${table}.${isIndex ? closed[0] : columns[read.p2]}`);
  }
};
