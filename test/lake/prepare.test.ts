import Database from 'better-sqlite3';
import type { Node } from 'oxc-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepare, required, type Shape } from '../../src/lake/prepare.ts';
import { lineOf, sourcesIn } from '../support/syntax.ts';

let sqlite: Database.Database;
beforeAll(() => {
  sqlite = new Database(':memory:');
  sqlite.exec(`
    create table video (key integer primary key, id text not null, rate real, body blob);
    create view videos as select id, rate * 2 as twice from video;
    insert into video values (1, 'tt_1', null, x'00');`);
});
afterAll(() => sqlite.close());

test('rows as objects, as tuples, as bare values', () => {
  const row = prepare(sqlite, 'select key, id, rate from video', {
    key: 'number',
    id: 'text',
    rate: 'number?',
  }).get();
  expect(row).toEqual({ key: 1, id: 'tt_1', rate: null });
  const tuples: [number, string][] = prepare(sqlite, 'select key, id from video', [
    'number',
    'text',
  ]).all();
  expect(tuples).toEqual([[1, 'tt_1']]);
  const count: number = required(prepare(sqlite, 'select count(*) from video', 'number').get());
  expect(count).toBe(1);
  expect(() =>
    required(prepare(sqlite, 'select id from video where key = 2', 'text').get()),
  ).toThrow('gave none');
});

describe('a type that the statement does not keep is an error before any row is read', () => {
  test.each<[string, string, Shape, string]>([
    ['another name', 'select id as video from video', { id: 'text' }, 'no column id'],
    ['one too few', 'select key, id from video', { id: 'text' }, '2 columns (key, id)'],
    ['one too many', 'select id from video', { id: 'text', key: 'number' }, '1 columns (id)'],
    ['more than a value', 'select key, id from video', 'number', '2 columns'],
    ['text for a number', 'select key from video', { key: 'text' }, 'column key is number'],
    ['a number for text', 'select id from videos', { id: 'number?' }, 'column id is text'],
    [
      'a tuple out of order',
      'select key, id from video',
      ['text', 'number'],
      'column key is number',
    ],
    ['text for bytes', 'select body from video', 'text', 'column body is blob'],
  ])('%s', (_, sql, shape, problem) => {
    expect(() => prepare<unknown>(sqlite, sql, shape)).toThrow(problem);
  });

  test('what is computed has no declared type: its name is what is held', () => {
    expect(prepare(sqlite, 'select twice from videos', { twice: 'number?' }).all()).toHaveLength(1);
    expect(() => prepare(sqlite, 'select twice from videos', { thrice: 'number?' })).toThrow(
      'no column thrice',
    );
  });
});

const READS = new Set(['get', 'all', 'iterate']);
const UNTYPED = new Set(['pluck', 'raw']);

/** Runs whatever SQL its users write, whose rows are of no known type. */
const ANY_SQL = 'src/lake/query/query-child.ts';

const isCallOf = (node: Node, methods: ReadonlySet<string>): boolean =>
  node.type === 'CallExpression' &&
  node.callee.type === 'MemberExpression' &&
  node.callee.property.type === 'Identifier' &&
  methods.has(node.callee.property.name);

test('rows get their types in one file: nowhere else is one cast, plucked or left raw', () => {
  const found = sourcesIn('src', 'jobs')
    .filter(({ path }) => path !== 'src/lake/prepare.ts' && path !== ANY_SQL)
    .flatMap((source) =>
      source.nodes
        .filter((node) =>
          node.type === 'TSAsExpression'
            ? isCallOf(node.expression, READS) ||
              source.text.startsWith('IterableIterator<', node.typeAnnotation.start)
            : isCallOf(node, UNTYPED),
        )
        .map((node) => lineOf(source, node)),
    );
  expect(found).toEqual([]);
});
