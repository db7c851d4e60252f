import { expect, test } from 'vitest';
import {
  CLOSED_COLUMNS,
  CLOSED_TABLES,
  refuseClosed,
} from '../../../src/lake/query/refuse-closed.ts';
import { freshLake } from '../../support/fresh.ts';

const isRefused = (sql: string): string | undefined => {
  try {
    refuseClosed(freshLake().sqlite, sql);
    return undefined;
  } catch (error) {
    return /^(\S+) is not open to queries/.exec(String((error as Error).message))?.[1];
  }
};

test('every closed table and column is one of the lake, and closed', () => {
  for (const table of CLOSED_TABLES) expect(isRefused(`select * from ${table}`)).toBe(table);
  for (const [table, columns] of Object.entries(CLOSED_COLUMNS))
    for (const column of columns)
      expect(isRefused(`select ${column} from ${table}`)).toBe(`${table}.${column}`);
});

test.each([
  ['rejected_items.origin', 'select * from rejected_items'],
  ['rejected_items.item', 'select a.item from main."rejected_items" a'],
  ['rejected_items.item', 'select length(item) from rejected_items'],
  ['rejected_items.item', 'select reason from rejected_items order by item'],
  ['rejected_items.item', "select 1 from rejected_items where item like '%x%'"],
  ['rejected_items.item', 'with r as (select item from rejected_items) select max(item) from r'],
  ['rejected_items.item', 'select lag(item) over (order by id) from rejected_items'],
  ['rejected_items.item', 'select 1 from rejected_items a join rejected_items b using (item)'],
  ['rejected_items.item', 'select (select group_concat(item) from rejected_items)'],
  ['rejected_items.origin', 'select max(origin) from rejected_items'],
  ['rejected_items.origin', "select count(*) from rejected_items where origin > 'b'"],
  ['rejected_items.origin', "select id from rejected_items where origin = 'a' or call_id = 3"],
  ['rejected_items.origin', 'select id from rejected_items order by origin desc'],
  ['rejected_items.origin', 'select count(distinct origin) from rejected_items'],
  ['import_progress.path', 'select lines from import_progress order by path'],
  ['import_progress.path', "select lines from import_progress where path = '/home/ana/x'"],
  ['import_progress.path', 'select 1 where exists (select 1 from import_progress where path > 1)'],
])('%s is closed to %s', (column, sql) => {
  expect(isRefused(sql)).toBe(column);
});

test.each([
  'select reason, count(*) from rejected_items group by reason',
  'select id, call_id, seen_at from rejected_items where call_id = 3 order by seen_at',
  'select count(*) from rejected_items',
  'select count(*) from import_progress',
  'select lines, finished_at, oldest_at, newest_at from import_progress',
  'select path, title from (select 1 as path) join video',
])('the columns beside them are open: %s', (sql) => {
  expect(() => refuseClosed(freshLake().sqlite, sql)).not.toThrow();
});
