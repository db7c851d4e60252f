import { DAY_MS } from '../../base/durations.ts';
import { commandText } from '../../base/installation.ts';
import { differingLimits, type KeyMember } from '../throttle/ledger.ts';
import { CALLS } from './calls-sql.ts';
import { LedgerError } from './errors.ts';
import type { LedgerDb } from './ledger-db.ts';
import { MONTHS } from './months-sql.ts';
import { SERVICE } from './service-sql.ts';
import { SLOTS } from './slots-sql.ts';
import { LEDGER_VERSION, PROGRAM, TABLES } from './tables-sql.ts';

/** Everything `ledger init` makes, in the schema that the search path names. Safe to run again. */
const LEDGER_SQL = [TABLES, MONTHS, CALLS, SLOTS, SERVICE].join('\n');

/** Durability settings of the server. */
interface Durability {
  fsync: string;
  standbys: string;
  replicas: number;
}

/** Result of creating a ledger. */
export interface InitSummary {
  readonly server: string;
  readonly schema: string;
  /** State before: nothing, an older version, or this one. */
  readonly was: 'nothing' | 'older' | 'current';
  readonly version: number;
  /** Warnings for the administrator of the server. */
  readonly warnings: readonly string[];
}

/** The version of the ledger that stands there; undefined where none does. */
const versionOf = async (db: LedgerDb): Promise<number | undefined> => {
  const tables = await db.rows<{ name: string }>(
    'select table_name as name from information_schema.tables where table_schema = $1 order by 1',
    [db.schema.slice(1, -1)],
  );
  if (tables.length === 0) return undefined;
  const isOurs = tables.some(({ name }) => name === 'meta');
  const rows = isOurs
    ? await db
        .rows<{ program: string; version: number }>(
          `select program, version from ${db.schema}.meta`,
        )
        .catch((error: unknown) => {
          if (error instanceof LedgerError) return [];
          throw error;
        })
    : [];
  const [meta] = rows;
  if (meta?.program !== PROGRAM)
    throw new LedgerError(
      `The schema ${db.schema} at ${db.shown} holds tables of something else (${tables[0]?.name ?? ''}, ...). It was left as it is: name another with ?schema=<name> at the end of TRENDLAKE_LEDGER_URL.`,
    );
  return meta.version;
};

const refuseNewer = (db: LedgerDb, version: number): void => {
  if (version > LEDGER_VERSION)
    throw new LedgerError(
      `The shared ledger at ${db.shown} is of a newer trendlake (version ${version}; this one knows ${LEDGER_VERSION}). It was left as it is: update trendlake on this machine.`,
    );
};

/**
 * Refuses a ledger that calls cannot be counted in.
 * @throws LedgerError if it is missing, foreign, older or newer
 */
export const checkLedger = async (db: LedgerDb): Promise<void> => {
  const version = await versionOf(db);
  if (version === undefined || version < LEDGER_VERSION)
    throw new LedgerError(
      `There is no ${version === undefined ? '' : 'current '}ledger at ${db.shown} in the schema ${db.schema}. Run \`${commandText('ledger init')}\` once.`,
    );
  refuseNewer(db, version);
};

/** Settings that could lose a counted call; empty if none can. */
export const durabilityWarnings = async (db: LedgerDb): Promise<string[]> => {
  const [durability] = await db.rows<Durability>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_standby_names') as standbys,
       (select count(*)::int from pg_stat_replication) as replicas`,
  );
  const warnings: string[] = [];
  if (durability?.fsync === 'off')
    warnings.push(
      'fsync is off on the server: calls that were counted are lost when its machine fails. Set fsync = on.',
    );
  if (durability?.standbys === '')
    warnings.push(
      durability.replicas === 0
        ? 'The server has no standby: while it is away, runs pause.'
        : 'The server does not wait for its standby (synchronous_standby_names is empty): one that is promoted may lack the last counted calls, which the key then spends twice. Set it to a synchronous one.',
    );
  return warnings;
};

/** Sentences about keys for which machines state different limits. */
export const limitWarnings = async (db: LedgerDb): Promise<string[]> => {
  const rows = await db.rows<KeyMember & { key: string }>(
    `select key_id::text as key, lake, rate_per_minute::float8 as "ratePerMinute",
       calls_per_month::float8 as "callsPerMonth"
     from ${db.schema}.members where abs(${db.schema}.now_ms() - seen_at) < ${DAY_MS} order by key_id, lake`,
  );
  return [...Map.groupBy(rows, ({ key }) => key).values()].flatMap(
    (members) => differingLimits(members) ?? [],
  );
};

/**
 * Creates the tables and functions of the ledger in their schema. A second call recreates
 * what is there already and changes nothing; the calls counted stay.
 * @throws LedgerError where the schema holds something else, or is of a newer version
 */
export const initLedger = async (db: LedgerDb): Promise<InitSummary> => {
  const version = await versionOf(db);
  if (version !== undefined) refuseNewer(db, version);
  if (version !== LEDGER_VERSION) {
    // one text of several statements is one transaction; two that make it at once wait for each other
    await db.rows(
      [
        `select pg_advisory_xact_lock(hashtext('${PROGRAM} ${db.schema}'));
         create schema if not exists ${db.schema};
         set local search_path = ${db.schema}, pg_catalog;`,
        LEDGER_SQL,
      ].join('\n'),
    );
  }
  const was = version === undefined ? 'nothing' : version < LEDGER_VERSION ? 'older' : 'current';
  const warnings = await durabilityWarnings(db);
  return { server: db.shown, schema: db.schema, was, version: LEDGER_VERSION, warnings };
};
