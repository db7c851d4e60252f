import type Database from 'better-sqlite3';
import { addKey, type KeyRecord, listKeys, type NewKey, revokeKey } from './keys.ts';
import {
  type DayOfUse,
  type KeyStanding,
  Limiter,
  type RouteUse,
  usageByDay,
  usageOfMonth,
} from './limits.ts';
import { openServiceDb } from './service-db.ts';

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
  /** True in the shared ledger. */
  readonly isShared: boolean;
  add(key: NewKey): Soon<void>;
  /** Oldest first, revoked ones included. */
  list(): Soon<KeyRecord[]>;
  /** @throws UsageError for an unknown key */
  revoke(id: string, now: number): Soon<KeyRecord>;
  usageByDay(keyId: string, days: number): Soon<DayOfUse[]>;
  usageOfMonth(month: string): Soon<RouteUse[]>;
  close(): Soon<void>;
}

/** The keys of a data directory. */
export class LakeKeys implements KeyStore {
  readonly isShared = false;
  readonly #db: Database.Database;
  readonly #limiter: Limiter;

  /** @param waitMs how long another process that writes them is waited for */
  constructor(dataDir: string, waitMs?: number) {
    this.#db = openServiceDb(dataDir);
    if (waitMs !== undefined) this.#db.pragma(`busy_timeout = ${waitMs}`);
    this.#limiter = new Limiter(this.#db);
  }

  count(
    hashes: readonly string[],
    now: number,
    routes: readonly string[],
  ): (KeyStanding | undefined)[] {
    return this.#limiter.count(hashes, now, routes);
  }

  add(key: NewKey): void {
    addKey(this.#db, key);
  }

  list(): KeyRecord[] {
    return listKeys(this.#db);
  }

  revoke(id: string, now: number): KeyRecord {
    return revokeKey(this.#db, id, now);
  }

  usageByDay(keyId: string, days: number): DayOfUse[] {
    return usageByDay(this.#db, keyId, days);
  }

  usageOfMonth(month: string): RouteUse[] {
    return usageOfMonth(this.#db, month);
  }

  close(): void {
    this.#db.close();
  }
}
