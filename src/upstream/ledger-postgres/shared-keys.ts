import { MINUTE_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import type { KeyStore } from '../../lake/keys/key-store.ts';
import type { KeyRecord, NewKey } from '../../lake/keys/keys.ts';
import type { DayOfUse, KeyStanding, RouteUse } from '../../lake/keys/limits.ts';
import { monthWindow } from '../throttle/month.ts';
import type { LedgerDb } from './ledger-db.ts';

/** A counted request, as `count_requests` returns it; null without such a key. */
type Counted = null | {
  id: string;
  scopes: string;
  rate: number;
  quota: number;
  /** Of its month, without this one. */
  calls: number;
  /** Of the minute, without this one. */
  used: number;
  at: number;
  oldestAt: number;
};

const standingOf = (counted: Counted): KeyStanding | undefined => {
  if (counted === null) return undefined;
  const { id, scopes, rate, quota, calls, used, at, oldestAt } = counted;
  const month = monthWindow('calendar', at);
  return {
    id,
    at,
    scopes: scopes.split(',') as KeyStanding['scopes'],
    ratePerMinute: rate,
    minuteLeft: Math.max(0, rate - used - 1),
    minuteResetsMs: Math.max(0, oldestAt + MINUTE_MS - at),
    callsPerMonth: quota,
    monthLeft: Math.max(0, quota - calls - 1),
    monthResetsMs: month.endsAt - at,
    monthMs: month.endsAt - month.startsAt,
    refusal: calls >= quota ? 'quota-exhausted' : used >= rate ? 'rate-limited' : null,
  };
};

/**
 * The keys of `serve` in the shared ledger: several `serve` behind a balancer count one key together, by the
 * database's clock. While it cannot be reached nothing is counted and every request is refused.
 */
export class SharedKeys implements KeyStore {
  readonly isShared = true;
  readonly #db: LedgerDb;

  constructor(db: LedgerDb) {
    this.#db = db;
  }

  async count(hash: string, _now: number, route: string): Promise<KeyStanding | undefined> {
    const [counted] = await this.#db.call<[Counted]>('count_requests', [hash], [route]);
    return standingOf(counted);
  }

  async add({ hash, record }: NewKey): Promise<void> {
    const { revokedAt: _, scopes, ...key } = record;
    await this.#db.call('add_service_key', { ...key, hash, scopes: scopes.join(',') });
  }

  async list(): Promise<KeyRecord[]> {
    const rows = await this.#db.rows<Omit<KeyRecord, 'scopes'> & { scopes: string }>(
      `select id, use_case as "useCase", tier, rate_per_minute as "ratePerMinute",
         calls_per_month as "callsPerMonth", scopes, created_at::float8 as "createdAt",
         revoked_at::float8 as "revokedAt"
       from ${this.#db.schema}.service_keys order by created_at, id`,
    );
    return rows.map(({ scopes, ...key }) => ({
      ...key,
      scopes: scopes.split(',') as KeyStanding['scopes'],
    }));
  }

  async revoke(id: string, now: number): Promise<KeyRecord> {
    await this.#db.call('revoke_service_key', id, now);
    const record = (await this.list()).find((key) => key.id === id);
    if (record === undefined)
      throw new UsageError(`There is no key with the id "${id}". \`keys list\` shows all of them.`);
    return record;
  }

  async usageByDay(keyId: string, days: number): Promise<DayOfUse[]> {
    return this.#db.rows<DayOfUse>(
      `select day, sum(requests)::float8 as requests, sum(refused)::float8 as refused
       from ${this.#db.schema}.service_usage where key_id = $1 group by day order by day desc limit $2`,
      [keyId, days],
    );
  }

  async usageOfMonth(month: string): Promise<RouteUse[]> {
    const { schema } = this.#db;
    return this.#db.rows<RouteUse>(
      `select u.key_id as key, k.use_case as "useCase", u.day, u.route, u.requests::float8 as calls,
         u.refused::float8 as refused
       from ${schema}.service_usage u join ${schema}.service_keys k on k.id = u.key_id
       where u.day between $1 and $2 order by k.created_at, u.key_id, u.day, u.route`,
      [`${month}-01`, `${month}-31`],
    );
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
