import type Database from 'better-sqlite3';
import { UsageError } from '../errors.ts';
import { typed } from '../installation.ts';
import { prepare } from '../lake/prepare.ts';

const FIRST_WORD = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|;)*([a-z]+)/i;
const READING = new Set(['select', 'with', 'values', 'explain']);
/** Where the data directory lies on the machine is nobody's to know. */
const TELLS_PATHS = /database_list/i;

/**
 * Refuses what reads more than a stranger may: tables that are closed to them, by their name, through
 * a view or an index, and what tells of the machine. Judged by the tables that the compiled statement opens,
 * not by its words.
 * @throws UsageError naming the table
 */
export const refuseClosed = (
  sqlite: Database.Database,
  sql: string,
  closed: readonly string[],
): void => {
  const word = FIRST_WORD.exec(sql)?.[1]?.toLowerCase() ?? '';
  if (!READING.has(word) || TELLS_PATHS.test(sql))
    throw new UsageError(
      'Only SELECT, WITH, VALUES and EXPLAIN are run here. Nothing was changed.',
    );
  if (word === 'explain') return; // opens nothing
  const roots = new Map(
    prepare(sqlite, 'select rootpage, tbl_name from sqlite_schema where rootpage > 0', [
      'number',
      'text',
    ]).all(),
  );
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
  for (const { opcode, p2, p3 } of instructions) {
    if (!/^(?:Open(?:Read|Write)|ReopenIdx)$/.test(opcode) || p3 !== 0) continue;
    const name = p2 === 1 ? 'sqlite_schema' : roots.get(p2);
    if (name === undefined || closed.includes(name) || name.startsWith('sqlite_stat'))
      throw new UsageError(
        `${name ?? 'What this reads'} is not open to queries of the service: it holds what belongs to single keys. \`${typed('query')}\` on the machine itself reads it.`,
      );
  }
};
