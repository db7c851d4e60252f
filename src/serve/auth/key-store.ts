import type Database from 'better-sqlite3';
import { openServiceDb } from '../../service-db/service-db.ts';
import { addKey, type KeyRecord, listKeys, type NewKey, revokeKey } from './keys.ts';
import {
  type DayOfUse,
  type KeyStanding,
  Limiter,
  type RouteUse,
  usageByDay,
  usageOfMonth,
} from './limits.ts';

type Soon<T> = T | Promise<T>;

/** Counts requests of keys. */
export interface RequestCounter {
  /**
   * The standing of each request, given the hash of its key, in their order. Undefined where no such key
   * exists or it was revoked; then nothing is counted.
   */
  count(
    hashes: readonly string[],
    now: number,
    routes: readonly string[],
  ): Soon<(KeyStanding | undefined)[]>;
}

/**
 * Keys of `serve` and what they spent: in the data directory, or in the shared ledger, where several
 * `serve` count them together. Instants in Unix ms.
 */
export interface KeyStore extends RequestCounter {
  add(key: NewKey): Soon<void>;
  /** Oldest first, revoked ones included. */
  list(): Soon<KeyRecord[]>;
  /** @throws UsageError when there is no such key */
  revoke(id: string, now: number): Soon<KeyRecord>;
  usageByDay(keyId: string, days: number): Soon<DayOfUse[]>;
  usageOfMonth(month: string): Soon<RouteUse[]>;
  close(): Soon<void>;
}

/** The keys of a data directory. @param waitMs how long another process that writes them is waited for */
export const lakeKeys = (dataDir: string, waitMs?: number): KeyStore => {
  const db: Database.Database = openServiceDb(dataDir);
  if (waitMs !== undefined) db.pragma(`busy_timeout = ${waitMs}`);
  const limiter = new Limiter(db);
  return {
    count: (hashes, now, routes) => limiter.count(hashes, now, routes),
    add: (key) => addKey(db, key),
    list: () => listKeys(db),
    revoke: (id, now) => revokeKey(db, id, now),
    usageByDay: (keyId, days) => usageByDay(db, keyId, days),
    usageOfMonth: (month) => usageOfMonth(db, month),
    close: () => void db.close(),
  };
};
