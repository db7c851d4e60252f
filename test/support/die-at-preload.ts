import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import Database from 'better-sqlite3';

// Preloaded (`node --import`) into processes, and so into their threads: makes them die at a named
// step of theirs on the disk or in SQLite, `DIE_AT="before rename .videos.parquet.tmp"`, and writes
// every step down where `STEPS_TO` names a file. The product knows nothing of it.
//
// A name is the beginning of a step's, or all of it where a `$` ends it.
//
// Steps: `write`, `fsync`, `rename`, `link` and `rm`, each with the name of the file or folder; `exec`,
// `pragma` and `prepare` with the first words of the SQL.
const { DIE_AT, STEPS_TO } = process.env;
const real = { ...fs };
const opened = new Map<number, string>();

const reach = (step: string): void => {
  if (STEPS_TO !== undefined) real.appendFileSync(STEPS_TO, `${step}\n`);
  if (DIE_AT !== undefined && `${step}$`.startsWith(DIE_AT)) process.kill(process.pid, 'SIGKILL');
};

const around = <T>(step: string, work: () => T): T => {
  reach(`before ${step}`);
  const done = work();
  reach(`after ${step}`);
  return done;
};

const nameOf = (file: fs.PathLike | number): string =>
  typeof file === 'number' ? (opened.get(file) ?? '?') : basename(String(file));

fs.openSync = (path, ...rest) => {
  const file = real.openSync(path, ...rest);
  opened.set(file, basename(String(path)));
  return file;
};
fs.writeSync = ((file: number, bytes: NodeJS.ArrayBufferView) =>
  around(`write ${nameOf(file)}`, () => real.writeSync(file, bytes))) as typeof fs.writeSync;
fs.fsync = ((file: number, done: fs.NoParamCallback) => {
  reach(`before fsync ${nameOf(file)}`);
  real.fsync(file, (error) => {
    reach(`after fsync ${nameOf(file)}`);
    done(error);
  });
}) as typeof fs.fsync;
fs.fsyncSync = (file) => around(`fsync ${nameOf(file)}`, () => real.fsyncSync(file));
fs.renameSync = (from, to) => around(`rename ${nameOf(from)}`, () => real.renameSync(from, to));
fs.linkSync = (from, to) => around(`link ${nameOf(to)}`, () => real.linkSync(from, to));
fs.rmSync = (path, options) => around(`rm ${nameOf(path)}`, () => real.rmSync(path, options));
syncBuiltinESMExports();

const words = (sql: string): string => sql.trim().split(/\s+/).slice(0, 4).join(' ').toLowerCase();
const { exec, pragma, prepare } = Database.prototype;
Database.prototype.exec = function (sql) {
  return around(`exec ${words(sql)}`, () => exec.call(this, sql));
};
Database.prototype.pragma = function (sql, options) {
  return around(`pragma ${words(sql)}`, () => pragma.call(this, sql, options));
};
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  return around(`prepare ${words(sql)}`, () => prepare.call(this, sql));
} as typeof prepare;
