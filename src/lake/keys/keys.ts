import { createHash, randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import { TIERS, type Tier } from '../../base/config/tiers.ts';
import { UsageError } from '../../base/errors.ts';
import { prepare, type RowOf } from '../prepare.ts';

/** Permissions of a key: `read` is every GET, `lab` the analysis, `webhooks` subscriptions, `watch` watches. */
export const SCOPES = ['read', 'lab', 'webhooks', 'watch'] as const;
export type Scope = (typeof SCOPES)[number];

/** Start of every key. */
export const KEY_PREFIX = 'tl_live_';

/** Stored facts of a key, without the key itself. Instants in Unix ms. */
export interface KeyRecord {
  readonly id: string;
  readonly useCase: string;
  readonly tier: Tier;
  readonly ratePerMinute: number;
  readonly callsPerMonth: number;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

const COLUMNS = `id, use_case as useCase, tier, rate_per_minute as ratePerMinute,
  calls_per_month as callsPerMonth, scopes, created_at as createdAt, revoked_at as revokedAt`;

const ROW = {
  id: 'text',
  useCase: 'text',
  tier: 'text',
  ratePerMinute: 'number',
  callsPerMonth: 'number',
  scopes: 'text',
  createdAt: 'number',
  revokedAt: 'number?',
} as const;

const recordOf = (row: RowOf<typeof ROW>): KeyRecord => ({
  ...row,
  tier: row.tier as Tier,
  scopes: row.scopes.split(',') as Scope[],
});

/** Keys are stored and looked up by this hash. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Options of a new key. Numbers default to those of the tier. */
export interface KeyWish {
  readonly useCase: string;
  readonly tier?: Tier;
  readonly ratePerMinute?: number;
  readonly callsPerMonth?: number;
  readonly scopes?: readonly Scope[];
}

const limitsOf = (wish: KeyWish): { tier: Tier; rate: number; month: number } => {
  const tier = wish.tier ?? 'beta';
  const rate = wish.ratePerMinute ?? TIERS[tier]?.ratePerMinute;
  const month = wish.callsPerMonth ?? TIERS[tier]?.callsPerMonth;
  if (rate === undefined || month === undefined)
    throw new UsageError(
      `Tier ${tier} has no fixed numbers. Give both --rate (calls per minute) and --month (calls per month).`,
    );
  return { tier, rate, month };
};

/** A key that is not stored yet. */
export interface NewKey {
  readonly record: KeyRecord;
  readonly hash: string;
}

/**
 * Generates a key without storing it. Only the result contains the key itself.
 * @throws UsageError without a use case, or for a tier without fixed numbers
 */
export const newKey = (wish: KeyWish, now: number): NewKey & { key: string } => {
  const useCase = wish.useCase.trim();
  if (useCase === '')
    throw new UsageError('A key needs its use case: --use-case "what it will be used for".');
  const { tier, rate, month } = limitsOf(wish);
  const key = KEY_PREFIX + randomBytes(32).toString('base64url');
  const scopes = wish.scopes ?? SCOPES;
  const id = `key_${randomBytes(9).toString('base64url')}`;
  const limits = { ratePerMinute: rate, callsPerMonth: month };
  const record = { id, useCase, tier, ...limits, scopes, createdAt: now, revokedAt: null };
  return { record, hash: hashOf(key), key };
};

/** Stores a key as its hash. */
export const addKey = (db: Database.Database, { record, hash }: NewKey): void => {
  const { id, useCase, tier, ratePerMinute, callsPerMonth, scopes, createdAt } = record;
  db.prepare(
    `insert into api_key (id, hash, use_case, tier, rate_per_minute, calls_per_month, scopes, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(id, hash, useCase, tier, ratePerMinute, callsPerMonth, scopes.join(','), createdAt);
};

/** Generates a key and stores its hash. */
export const createKey = (
  db: Database.Database,
  wish: KeyWish,
  now: number,
): { record: KeyRecord; key: string } => {
  const { record, hash, key } = newKey(wish, now);
  addKey(db, { record, hash });
  return { record, key };
};

const keyById = (db: Database.Database, id: string): KeyRecord | undefined => {
  const row = prepare(db, `select ${COLUMNS} from api_key where id = ?`, ROW).get(id);
  return row === undefined ? undefined : recordOf(row);
};

/** All keys, oldest first, revoked ones included. */
export const listKeys = (db: Database.Database): KeyRecord[] =>
  prepare(db, `select ${COLUMNS} from api_key order by created_at, id`, ROW).all().map(recordOf);

/**
 * Revokes a key at once, also in running services. Revoking it twice changes nothing.
 * @throws UsageError for an unknown key
 */
export const revokeKey = (db: Database.Database, id: string, now: number): KeyRecord => {
  db.prepare('update api_key set revoked_at = ? where id = ? and revoked_at is null').run(now, id);
  const record = keyById(db, id);
  if (record === undefined)
    throw new UsageError(`There is no key with the id "${id}". \`keys list\` shows all of them.`);
  return record;
};
