import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { prepareDataFolder } from '../../base/data-dir/data-folder.ts';
import { makeOwnFile } from '../../base/data-dir/own-files.ts';
import { UsageError } from '../../base/errors.ts';
import { lakeErrorOf } from '../explain-error.ts';
import { BESIDE_A_LAKE, SERVICE_FILE } from '../former-lake.ts';
import { LAKE_FILE } from '../open.ts';
import { prepare } from '../prepare.ts';

/** A request reads and writes a few pages of its key. */
const CACHE_KIB = 2 * 1024;

/** Marks a SQLite file as a service database (`tlsv` in ASCII). */
const APPLICATION_ID = 0x746c7376;

// api_key         one row per key; `sequence` numbers its requests, `month_calls` counts those of `month`
//                 (YYYY-MM, UTC)
// recent_call     instants of a key's last `rate_per_minute` requests, as a ring: slot = sequence modulo
//                 the rate. The sliding minute needs no more.
// key_route_day   requests of a key by UTC day and route; `refused` of them got status 429
// webhook_secret  secret that signs the deliveries of a subscription, `whsec_` + base64. The previous one
//                 also signs until it expires. Written by src/alerts/webhooks/secrets.ts
// saved_query     named statements of the query page. Written by src/lake/query/saved-queries.ts
const SCHEMA = `
  create table if not exists api_key (
    id text primary key not null,
    hash text not null unique,
    use_case text not null,
    tier text not null,
    rate_per_minute integer not null,
    calls_per_month integer not null,
    scopes text not null,
    created_at integer not null,
    revoked_at integer,
    sequence integer not null default 0,
    month text not null default '',
    month_calls integer not null default 0
  ) strict;
  create table if not exists recent_call (
    key_id text not null references api_key(id),
    slot integer not null,
    at integer not null,
    primary key (key_id, slot)
  ) strict, without rowid;
  create table if not exists key_route_day (
    key_id text not null references api_key(id),
    day text not null,
    route text not null,
    requests integer not null,
    refused integer not null,
    primary key (key_id, day, route)
  ) strict, without rowid;
  create table if not exists webhook_secret (
    subscription_id text primary key not null,
    secret text not null,
    previous text,
    previous_until integer
  ) strict, without rowid;
  create table if not exists saved_query (
    slug text primary key not null,
    name text not null,
    sql text not null,
    parameters text not null,
    saved_at integer not null
  ) strict, without rowid;
`;

/** Moves the daily counts of 0.1.0, which had no routes, into `key_route_day`. */
const takeOverDays = (sqlite: Database.Database): void => {
  const old = sqlite.prepare("select 1 from sqlite_schema where name = 'key_day'").get();
  if (old === undefined) return;
  sqlite.exec(`
    insert into key_route_day (key_id, day, route, requests, refused)
    select key_id, day, '', requests, refused from key_day where true on conflict do nothing;
    drop table key_day;`);
};

/** Temporary errors that do not depend on the file's content. */
const PASSING = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY)/;

/**
 * Opens or creates the service database of a data directory. Several processes may have it open.
 * Counts survive the end of a process; a crash of the machine may lose the last second.
 * @throws UsageError for a foreign file; LakeError if the disk refuses or it is locked
 */
export const openServiceDb = (dataDir: string): Database.Database => {
  prepareDataFolder(dataDir);
  const path = join(dataDir, SERVICE_FILE);
  makeOwnFile(path);
  const sqlite = new Database(path);
  try {
    sqlite.pragma('busy_timeout = 10000');
    const id = sqlite.pragma('application_id', { simple: true });
    const isNew = prepare(sqlite, 'select count(*) from sqlite_schema', 'number').get() === 0;
    if (id !== APPLICATION_ID && !(id === 0 && isNew))
      throw new Error('it belongs to another program');
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = NORMAL');
    sqlite.pragma('secure_delete = ON'); // a secret that is gone is overwritten
    sqlite.pragma(`cache_size = -${CACHE_KIB}`);
    sqlite.pragma('wal_autocheckpoint = 4000'); // every request writes; rarer checkpoints stall fewer
    sqlite
      .transaction(() => {
        sqlite.pragma(`application_id = ${APPLICATION_ID}`);
        sqlite.exec(SCHEMA);
        takeOverDays(sqlite);
        if (existsSync(join(dataDir, LAKE_FILE))) sqlite.pragma(`user_version = ${BESIDE_A_LAKE}`);
      })
      .immediate();
    return sqlite;
  } catch (error) {
    sqlite.close();
    if (error instanceof Database.SqliteError && PASSING.test(error.code))
      throw lakeErrorOf(error, path) ?? error;
    throw new UsageError(
      `${path} cannot be used as the service's database: ${error instanceof Error ? error.message : String(error)}. The file is unchanged. Move it away to start without keys, or replace it with your backup.`,
      { cause: error },
    );
  }
};
