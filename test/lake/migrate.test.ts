import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/lake/migrate.ts';
import { freshFolder } from '../support/fresh.ts';

const FIRST = 'create table parent (key integer primary key, word text) strict;';
const CHILD =
  'create table child (parent integer not null references parent (key), n integer) strict;';
const REBUILD = `
  create table parent_new (key integer primary key, word text, more text) strict;
  insert into parent_new select key, word, 'new' from parent;
  drop table parent;
  alter table parent_new rename to parent;`;

/** A folder of migrations, a database file, and the statistics table that every lake has. */
const setUp = (...migrations: string[]) => {
  const folder = freshFolder();
  migrations.forEach((sql, index) => {
    writeFileSync(join(folder, `000${index}_step.sql`), sql);
  });
  const path = join(freshFolder(), 'lake.db');
  const sqlite = new Database(path);
  onTestFinished(() => void sqlite.close());
  const versionOf = () => sqlite.pragma('user_version', { simple: true });
  return { folder, path, sqlite, versionOf };
};
const add = (folder: string, index: number, sql: string) =>
  writeFileSync(join(folder, `000${index}_step.sql`), sql);

test('an empty file gets every migration; the same again does nothing', () => {
  const { folder, path, sqlite, versionOf } = setUp(FIRST, CHILD);
  migrate(sqlite, path, { folder });
  expect(versionOf()).toBe(2);
  const before = sqlite.prepare('pragma schema_version').get();
  migrate(sqlite, path, { folder });
  expect(sqlite.prepare('pragma schema_version').get()).toEqual(before);
  expect(readdirSync(join(path, '..'))).toEqual(['lake.db']);
});

test('an older lake is copied first, then led forward; children survive a rebuilt parent', () => {
  const { folder, path, sqlite, versionOf } = setUp(FIRST, CHILD);
  migrate(sqlite, path, { folder });
  sqlite.exec("insert into parent values (1, 'a'); insert into child values (1, 5)");
  add(folder, 2, REBUILD);
  migrate(sqlite, path, { folder });
  expect(versionOf()).toBe(3);
  expect(sqlite.prepare('select more from parent').pluck().all()).toEqual(['new']);
  expect(sqlite.prepare('select n from child').pluck().all()).toEqual([5]);
  expect(sqlite.pragma('foreign_keys', { simple: true })).toBe(1);
  const copy = new Database(`${path}.v2`, { readonly: true });
  expect(copy.pragma('user_version', { simple: true })).toBe(2);
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(copy.prepare('select word from parent').pluck().all()).toEqual(['a']);
  copy.close();
});

test('what a migration sorts of a large lake is not held in memory', () => {
  const { folder, path, sqlite } = setUp(
    'create table sorting (store integer) strict; insert into sorting select temp_store from pragma_temp_store;',
  );
  sqlite.pragma('temp_store = MEMORY');
  const [file, memory] = [1, 2];
  migrate(sqlite, path, { folder });
  expect(sqlite.prepare('select store from sorting').pluck().all()).toEqual([file]);
  expect(sqlite.pragma('temp_store', { simple: true })).toBe(memory);
});

test('a migration that fails leaves the lake as the one before left it', () => {
  const { folder, path, sqlite, versionOf } = setUp(FIRST);
  migrate(sqlite, path, { folder });
  add(folder, 1, `${CHILD} create table half (x); insert into nowhere values (1);`);
  expect(() => migrate(sqlite, path, { folder })).toThrow(/nowhere/);
  expect(versionOf()).toBe(1);
  const tables = sqlite.prepare("select name from sqlite_schema where name in ('child', 'half')");
  expect(tables.all()).toEqual([]);
  expect(existsSync(`${path}.v1`)).toBe(true);
});

test('of several migrations all are made or none', () => {
  const { folder, path, sqlite, versionOf } = setUp(FIRST);
  migrate(sqlite, path, { folder });
  add(folder, 1, CHILD);
  add(folder, 2, 'insert into nowhere values (1);');
  expect(() => migrate(sqlite, path, { folder })).toThrow(/nowhere/);
  expect(versionOf()).toBe(1);
  expect(sqlite.prepare("select 1 from sqlite_schema where name = 'child'").all()).toEqual([]);
  add(folder, 2, "insert into parent values (2, 'b');");
  migrate(sqlite, path, { folder });
  expect(versionOf()).toBe(3);
});

test('the copy is of the current lake, whatever file is there, and its owner is informed', () => {
  const { folder, path, sqlite } = setUp(FIRST);
  migrate(sqlite, path, { folder });
  writeFileSync(`${path}.v1`, 'of long ago');
  sqlite.exec("insert into parent values (1, 'a')");
  add(folder, 1, CHILD);
  const told: string[] = [];
  migrate(sqlite, path, { folder, report: (sentence) => told.push(sentence) });
  expect(told).toEqual([expect.stringMatching(/older trendlake.*lake\.db\.v1 \(0\.\d MiB\)/)]);
  const copy = new Database(`${path}.v1`, { readonly: true });
  expect(copy.prepare('select word from parent').pluck().all()).toEqual(['a']);
  copy.close();
  migrate(sqlite, path, { folder, report: (sentence) => told.push(sentence) });
  expect(told).toHaveLength(1);
});

test('a disk without room for the copy leaves the lake as it is', () => {
  const { folder, path, sqlite, versionOf } = setUp(FIRST);
  migrate(sqlite, path, { folder });
  add(folder, 1, CHILD);
  expect(() => migrate(sqlite, path, { folder, freeBytes: () => 8191 })).toThrow(
    /copied before.*takes 0\.0 MiB.*Nothing was changed: make room/,
  );
  expect(versionOf()).toBe(1);
  expect(readdirSync(join(path, '..'))).toEqual(['lake.db']);
});

test('a migration that would orphan rows is refused with what to do', () => {
  const { folder, path, sqlite, versionOf } = setUp(FIRST, CHILD);
  migrate(sqlite, path, { folder });
  sqlite.exec("insert into parent values (1, 'a'); insert into child values (1, 5)");
  add(folder, 2, 'delete from parent;');
  const refused = (isCopy: boolean) => expect(() => migrate(sqlite, path, { folder, isCopy }));
  refused(true).toThrow(
    /1 rows without their parents\. Nothing was changed\. Please report this\./,
  );
  refused(false).toThrow(/1 rows without their parents.*the copy is .*\.v2\./s);
  expect(versionOf()).toBe(2);
  expect(sqlite.prepare('select count(*) from parent').pluck().get()).toBe(1);
});

test('a newer lake is not touched', () => {
  const { folder, path, sqlite, versionOf } = setUp(FIRST);
  sqlite.pragma('user_version = 5');
  expect(() => migrate(sqlite, path, { folder })).toThrow(/newer trendlake/);
  expect(versionOf()).toBe(5);
});
