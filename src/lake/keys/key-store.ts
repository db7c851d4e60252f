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
  ): Promise<(KeyStanding | undefined)[]>;
}

/**
 * Keys of `serve` and what they spent: in the data directory, or in the shared ledger, where several
 * `serve` count them together. Instants in Unix ms.
 */
export interface KeyStore extends RequestCounter, AsyncDisposable {
  /** True in the shared ledger. */
  readonly isShared: boolean;
  add(key: NewKey): Promise<void>;
  /** Oldest first, revoked ones included. */
  list(): Promise<KeyRecord[]>;
  /** @throws UsageError for an unknown key */
  revoke(id: string, now: number): Promise<KeyRecord>;
  usageByDay(keyId: string, days: number): Promise<DayOfUse[]>;
  usageOfMonth(month: string): Promise<RouteUse[]>;
  close(): Promise<void>;
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

  async count(
    hashes: readonly string[],
    now: number,
    routes: readonly string[],
  ): Promise<(KeyStanding | undefined)[]> {
    return this.#limiter.count(hashes, now, routes);
  }

  async add(key: NewKey): Promise<void> {
    addKey(this.#db, key);
  }

  async list(): Promise<KeyRecord[]> {
    return listKeys(this.#db);
  }

  async revoke(id: string, now: number): Promise<KeyRecord> {
    return revokeKey(this.#db, id, now);
  }

  async usageByDay(keyId: string, days: number): Promise<DayOfUse[]> {
    return usageByDay(this.#db, keyId, days);
  }

  async usageOfMonth(month: string): Promise<RouteUse[]> {
    return usageOfMonth(this.#db, month);
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
