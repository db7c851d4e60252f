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

/**
 * Keys of `serve` and their use, in the data directory or in the shared ledger of several machines.
 * Instants in Unix ms.
 */
export interface KeyStore extends AsyncDisposable {
  /** True in the shared ledger. */
  readonly isShared: boolean;
  /**
   * Counts one request. @returns the state of its key; undefined if the key is unknown or revoked, and
   * nothing is counted
   */
  count(hash: string, now: number, route: string): Promise<KeyStanding | undefined>;
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
  /** Commit of the requests that are being counted. */
  #commit: Promise<void> | undefined;

  /** @param waitMs longest wait for another process that writes keys */
  constructor(dataDir: string, waitMs?: number) {
    this.#db = openServiceDb(dataDir);
    if (waitMs !== undefined) this.#db.pragma(`busy_timeout = ${waitMs}`);
    this.#limiter = new Limiter(this.#db);
  }

  async count(hash: string, now: number, route: string): Promise<KeyStanding | undefined> {
    this.#commit ??= this.#begin();
    const commit = this.#commit;
    const standing = this.#limiter.count(hash, now, route);
    await commit;
    return standing;
  }

  /** One commit for all requests of one turn of the event loop, as it takes most of the time. */
  #begin(): Promise<void> {
    this.#db.exec('begin immediate');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {}); // nobody waits if counting failed
    setImmediate(() => {
      this.#commit = undefined;
      try {
        this.#db.exec('commit');
        resolve();
      } catch (error) {
        if (this.#db.inTransaction) this.#db.exec('rollback');
        reject(error);
      }
    });
    return promise;
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
