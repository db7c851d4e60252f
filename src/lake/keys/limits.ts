import type Database from 'better-sqlite3';
import { MINUTE_MS } from '../../base/durations.ts';
import { dateOf } from '../../base/iso.ts';
import { type Prepared, prepare, required } from '../prepare.ts';
import type { Scope } from './keys.ts';

/** State of a key after a counted request. */
export interface KeyStanding {
  readonly id: string;
  readonly at: number; // Unix ms; when it was counted
  readonly scopes: readonly Scope[];
  readonly ratePerMinute: number;
  readonly minuteLeft: number; // requests left in the sliding minute
  readonly minuteResetsMs: number; // until one more is available
  readonly callsPerMonth: number;
  readonly monthLeft: number;
  readonly monthResetsMs: number;
  readonly monthMs: number; // length of this calendar month
  readonly refusal: 'rate-limited' | 'quota-exhausted' | null;
}

/** A key after a request was counted. */
interface Counted {
  readonly id: string;
  readonly scopes: string;
  readonly rate: number;
  readonly quota: number;
  readonly sequence: number; // of this request, from 0
  readonly calls: number; // of this month, with this request
}

const monthStart = (at: number, later: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

const COUNT = `update api_key set sequence = sequence + 1, month = @month,
    month_calls = iif(month = @month, month_calls + 1, 1)
  where hash = @hash and revoked_at is null
  returning id, scopes, rate_per_minute as rate, calls_per_month as quota, sequence - 1 as sequence,
    month_calls as calls`;
const REMEMBER = `insert into recent_call (key_id, slot, at) values (?, ?, ?)
  on conflict do update set at = excluded.at`;
const COUNT_DAY = `insert into key_route_day (key_id, day, route, requests, refused) values (?, ?, ?, 1, ?)
  on conflict do update set requests = requests + 1, refused = refused + excluded.refused`;

/**
 * Counts authenticated requests and checks the limits of their keys. Each is part of an immediate
 * transaction, so no more than the rate pass in any 60 s, whatever other processes of the data directory do.
 */
export class Limiter {
  readonly #countIn: Prepared<Counted>;
  readonly #instantAt: Prepared<number>;
  readonly #remember: Database.Statement;
  readonly #countDay: Database.Statement;
  readonly #count: Database.Transaction<Limiter['count']>;

  constructor(db: Database.Database) {
    this.#countIn = prepare(db, COUNT, {
      id: 'text',
      scopes: 'text',
      rate: 'number',
      quota: 'number',
      sequence: 'number',
      calls: 'number',
    });
    this.#instantAt = prepare(
      db,
      'select at from recent_call where key_id = ? and slot = ?',
      'number',
    );
    this.#remember = db.prepare(REMEMBER);
    this.#countDay = db.prepare(COUNT_DAY);
    this.#count = db.transaction((hash, now, route) => this.#countOne(hash, now, route));
  }

  /**
   * State of a key after a request, by the key's hash (`hashOf`). Undefined for unknown and revoked keys;
   * nothing is counted for them.
   */
  count(hash: string, now: number, route = ''): KeyStanding | undefined {
    return this.#count.immediate(hash, now, route);
  }

  #countOne(hash: string, now: number, route = ''): KeyStanding | undefined {
    const day = dateOf(now);
    const key = this.#countIn.get({ hash, month: day.slice(0, 7) });
    if (key === undefined) return undefined;
    const standing = this.#standingOf(key, now);
    this.#remember.run(key.id, key.sequence % key.rate, now);
    this.#countDay.run(key.id, day, route, standing.refusal === null ? 0 : 1);
    return standing;
  }

  #atOf(key: Counted, sequence: number): number {
    return required(this.#instantAt.get(key.id, sequence % key.rate));
  }

  /** Sequence of the first of the last `rate` requests inside the minute before `now`. */
  #firstInside(key: Counted, now: number): number {
    let low = Math.max(0, key.sequence - key.rate);
    let high = key.sequence;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#atOf(key, middle) > now - MINUTE_MS) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #standingOf(key: Counted, now: number): KeyStanding {
    const { id, scopes, rate, quota, sequence, calls } = key;
    const first = this.#firstInside(key, now);
    const used = Math.min(rate, sequence - first);
    // in a full minute, this request replaces the oldest one
    const oldest = Math.max(first, sequence + 1 - rate);
    const oldestAt = oldest === sequence ? now : this.#atOf(key, oldest);
    const monthEnd = monthStart(now, 1);
    const isMonthSpent = calls > quota;
    return {
      id,
      at: now,
      scopes: scopes.split(',') as Scope[],
      ratePerMinute: rate,
      minuteLeft: Math.max(0, rate - used - 1),
      minuteResetsMs: Math.max(0, oldestAt + MINUTE_MS - now),
      callsPerMonth: quota,
      monthLeft: Math.max(0, quota - calls),
      monthResetsMs: monthEnd - now,
      monthMs: monthEnd - monthStart(now, 0),
      // the month first: if both are spent, the end of the minute would not help
      refusal: isMonthSpent ? 'quota-exhausted' : used >= rate ? 'rate-limited' : null,
    };
  }
}

/** Requests of one key on one UTC day. */
export interface DayOfUse {
  readonly day: string; // YYYY-MM-DD
  readonly requests: number;
  readonly refused: number; // with status 429
}

/** A key's use by day, newest first, at most `days` days. */
export const usageByDay = (db: Database.Database, keyId: string, days: number): DayOfUse[] =>
  prepare(
    db,
    `select day, sum(requests) as requests, sum(refused) as refused from key_route_day
       where key_id = ? group by day order by day desc limit ?`,
    { day: 'text', requests: 'number', refused: 'number' },
  ).all(keyId, days);

/** Requests of a key to one route on one UTC day. */
export interface RouteUse {
  readonly key: string; // its id
  readonly useCase: string;
  readonly day: string; // YYYY-MM-DD
  readonly route: string; // such as /v1/feed/:platform; '' if unknown
  readonly calls: number;
  readonly refused: number; // of the calls, with status 429
}

/** Use of all keys in a month (YYYY-MM, UTC) by key, day and route, including revoked keys. */
export const usageOfMonth = (db: Database.Database, month: string): RouteUse[] =>
  prepare(
    db,
    `select u.key_id as key, k.use_case as useCase, u.day, u.route, u.requests as calls, u.refused
       from key_route_day u join api_key k on k.id = u.key_id
       where u.day between ? and ? order by k.created_at, u.key_id, u.day, u.route`,
    {
      key: 'text',
      useCase: 'text',
      day: 'text',
      route: 'text',
      calls: 'number',
      refused: 'number',
    },
  ).all(`${month}-01`, `${month}-31`);
