import type Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
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
  readonly minuteLeft: number; // requests that would still pass inside the sliding minute
  readonly minuteResetsMs: number; // until the next one of the minute comes free
  readonly callsPerMonth: number;
  readonly monthLeft: number;
  readonly monthResetsMs: number;
  readonly monthMs: number; // length of this calendar month
  readonly refusal: 'rate-limited' | 'quota-exhausted' | null;
}

/** A key with some requests counted in. */
interface Counted {
  readonly id: string;
  readonly scopes: string;
  readonly rate: number;
  readonly quota: number;
  readonly sequence: number; // of the first of them
  readonly calls: number; // in this month, without them
}

/** The first of a key's requests that lay inside the minute before `now`; its instant where known. */
interface First {
  readonly sequence: number;
  readonly at: number | undefined;
  readonly now: number;
}

const monthStart = (at: number, later: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

/** A key's numbers before its requests, and the requests counted: one statement for both. */
const COUNT_IN = `update api_key set sequence = sequence + @requests, month = @month,
    month_calls = iif(month = @month, month_calls + @requests, @requests)
  where hash = @hash and revoked_at is null
  returning id, scopes, rate_per_minute as rate, calls_per_month as quota,
    sequence - @requests as sequence, month_calls - @requests as calls`;

/** Keys of which the start of the minute is remembered at most. */
const REMEMBERED_KEYS = 10_000;

const REMEMBER = `insert into recent_call (key_id, slot, at) values (?, ?, ?)
  on conflict do update set at = excluded.at`;
const COUNT_DAY = `insert into key_route_day (key_id, day, route, requests, refused) values (?, ?, ?, ?, ?)
  on conflict do update set requests = requests + excluded.requests, refused = refused + excluded.refused`;

/**
 * Counts authenticated requests by their keys, whatever becomes of them, and says of each whether it
 * may pass. One immediate transaction on the service database for those that came together, so
 * parallel requests and other processes of the data directory are exact: of the requests of any 60 s
 * no more than the rate pass.
 */
export class Limiter {
  readonly #countIn: Prepared<Counted>;
  readonly #instantAt: Prepared<number>;
  readonly #remember: Database.Statement;
  readonly #countDay: Database.Statement;
  readonly #firsts = new LRUCache<string, First>({ max: REMEMBERED_KEYS });
  readonly #count: Database.Transaction<Limiter['count']>;

  constructor(db: Database.Database) {
    this.#countIn = prepare(db, COUNT_IN, {
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
    this.#count = db.transaction((hashes, now, routes = []) => this.#countAll(hashes, now, routes));
  }

  /**
   * State after each request, by the hash of its key (`hashOf`), in order. Undefined for unknown
   * and revoked keys; nothing is counted for them.
   * @param routes route of each request; '' if unknown
   */
  count(
    hashes: readonly string[],
    now: number,
    routes: readonly string[] = [],
  ): (KeyStanding | undefined)[] {
    return this.#count.immediate(hashes, now, routes);
  }

  #countAll(
    hashes: readonly string[],
    now: number,
    routes: readonly string[],
  ): (KeyStanding | undefined)[] {
    const requests = new Map<string, number>();
    for (const hash of hashes) requests.set(hash, (requests.get(hash) ?? 0) + 1);
    const ofKeys = new Map(
      [...requests].map(([hash, number]) => [hash, this.#countKey(hash, number, now).values()]),
    );
    const standings = hashes.map((hash) => ofKeys.get(hash)?.next().value);
    this.#countRoutes(standings, routes, dateOf(now));
    return standings;
  }

  /** Counts requests by day and route: one row for those of a key that came together for one route. */
  #countRoutes(
    standings: readonly (KeyStanding | undefined)[],
    routes: readonly string[],
    day: string,
  ): void {
    const uses = new Map<string, { id: string; route: string; calls: number; refused: number }>();
    for (const [index, standing] of standings.entries()) {
      if (standing === undefined) continue;
      const { id, refusal } = standing;
      const route = routes[index] ?? '';
      const use = uses.get(`${id} ${route}`) ?? { id, route, calls: 0, refused: 0 };
      use.calls += 1;
      use.refused += refusal === null ? 0 : 1;
      uses.set(`${id} ${route}`, use);
    }
    for (const { id, route, calls, refused } of uses.values())
      this.#countDay.run(id, day, route, calls, refused);
  }

  /** Counts `requests` of one key; their standings in their order, none without such a key. */
  #countKey(hash: string, requests: number, now: number): KeyStanding[] {
    const day = dateOf(now);
    const row = this.#countIn.get({ hash, month: day.slice(0, 7), requests });
    if (row === undefined) return [];
    const first = this.#firstInside(row, now);
    this.#firsts.set(row.id, first);
    const standings = Array.from({ length: requests }, (_, index) =>
      this.#standingAfter(row, first, index, now),
    );
    for (let index = Math.max(0, requests - row.rate); index < requests; index++)
      this.#remember.run(row.id, (row.sequence + index) % row.rate, now);
    return standings;
  }

  #atOf(row: Counted, sequence: number): number {
    return required(this.#instantAt.get(row.id, sequence % row.rate));
  }

  /**
   * Start of the search for the first request of the minute. Requests that left the minute stay
   * outside, unless the clock was set back.
   */
  #known(row: Counted, now: number): First {
    const oldest = Math.max(0, row.sequence - row.rate);
    const first = this.#firsts.get(row.id);
    const holds = first !== undefined && first.now <= now && first.sequence >= oldest;
    return holds ? first : { sequence: oldest, at: undefined, now };
  }

  /** The first of a key's last `rate` requests that lies inside the minute before `now`. */
  #firstInside(row: Counted, now: number): First {
    const start = this.#known(row, now);
    const isInside = (sequence: number): boolean => this.#atOf(row, sequence) > now - MINUTE_MS;
    if (start.at !== undefined && start.at > now - MINUTE_MS) return { ...start, now };
    let low = start.sequence;
    let high = row.sequence;
    // few leave the minute between two requests: the strides from where it began grow from one
    for (let stride = 1; low + stride < high; stride *= 2) {
      if (isInside(low + stride - 1)) high = low + stride - 1;
      else low += stride;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isInside(middle)) high = middle;
      else low = middle + 1;
    }
    return { sequence: low, at: low < row.sequence ? this.#atOf(row, low) : undefined, now };
  }

  /** State of a key after the `index`th of the requests counted together. */
  #standingAfter(row: Counted, first: First, index: number, now: number): KeyStanding {
    const sequence = row.sequence + index;
    const used = Math.min(row.rate, sequence - first.sequence);
    // a full minute: this request takes the oldest one's slot of the ring
    const oldest = Math.max(first.sequence, sequence + 1 - row.rate);
    const oldestAt =
      oldest >= row.sequence ? now : oldest === first.sequence ? first.at : this.#atOf(row, oldest);
    return {
      id: row.id,
      at: now,
      scopes: row.scopes.split(',') as Scope[],
      ratePerMinute: row.rate,
      minuteLeft: Math.max(0, row.rate - used - 1),
      minuteResetsMs: Math.max(0, (oldestAt ?? now) + MINUTE_MS - now),
      callsPerMonth: row.quota,
      monthLeft: Math.max(0, row.quota - row.calls - index - 1),
      monthResetsMs: monthStart(now, 1) - now,
      monthMs: monthStart(now, 1) - monthStart(now, 0),
      // the month first: where both are spent, the end of the minute would not help
      refusal:
        row.calls + index >= row.quota
          ? 'quota-exhausted'
          : used >= row.rate
            ? 'rate-limited'
            : null,
    };
  }
}

/** Requests of one key on one UTC day; `refused` of them were answered 429. */
export interface DayOfUse {
  readonly day: string; // YYYY-MM-DD
  readonly requests: number;
  readonly refused: number;
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
  readonly route: string; // such as /v1/feed/:platform; '' where it was not noted
  readonly calls: number;
  readonly refused: number; // of the calls, answered 429
}

/** Use of all keys in a month (YYYY-MM, UTC), with revoked ones, by key, day and route. */
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
