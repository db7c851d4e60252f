import { randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import { prepare, required } from './prepare.ts';

// Facts about a lake as a whole, kept in its table `meta`.

/** A fact, or undefined if it was never written. */
export const readMeta = (sqlite: Database.Database, key: string): string | undefined =>
  prepare(sqlite, 'select value from meta where key = ?', 'text').get(key);

/** Writes a fact, in place of the one before. */
export const writeMeta = (sqlite: Database.Database, key: string, value: string): void => {
  sqlite
    .prepare(
      'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
    )
    .run(key, value);
};

/** Removes a fact. */
export const removeMeta = (sqlite: Database.Database, key: string): void => {
  sqlite.prepare('delete from meta where key = ?').run(key);
};

/** Gives a lake an id unless it has one. Copies and backups keep it. */
export const giveLakeId = (sqlite: Database.Database, id: string = randomUUID()): void => {
  sqlite
    .prepare("insert into meta (key, value) values ('lake_id', ?) on conflict (key) do nothing")
    .run(id);
};

/** The id of a lake; lakes of 0.1.0 get theirs with the first export or publication. */
export const findLakeId = (sqlite: Database.Database): string | undefined =>
  readMeta(sqlite, 'lake_id');

/** The id of a lake, which gets one if it has none. */
export const lakeIdOf = ({ sqlite }: { readonly sqlite: Database.Database }): string => {
  giveLakeId(sqlite);
  return required(findLakeId(sqlite));
};

/** Changes with each restore: files exported before it no longer show this lake. '' if never restored. */
export const restoreMarkOf = (sqlite: Database.Database): string =>
  readMeta(sqlite, 'restore_mark') ?? '';

/** Notes that a lake was restored. */
export const markRestored = (sqlite: Database.Database): void =>
  writeMeta(sqlite, 'restore_mark', randomUUID());
