import type Database from 'better-sqlite3';
import { dateOf, MINUTE_MS } from '../clock.ts';
import { hashOf, type Scope } from './keys.ts';

/** Where a key stands after a request was counted. */
export interface Standing {
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

/** A key with this request counted in. */
interface Counted {
  readonly id: string;
  readonly scopes: string;
  readonly rate: number;
  readonly quota: number;
  readonly sequence: number; // of this request
  readonly calls: number; // in this month, without this one
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

/** A key's numbers before this request, and the request counted: one statement for both. */
const COUNT_IN = `update api_key set sequence = sequence + 1, month = @month,
    month_calls = iif(month = @month, month_calls + 1, 1)
  where hash = @hash and revoked_at is null
  returning id, scopes, rate_per_minute as rate, calls_per_month as quota,
    sequence - 1 as sequence, month_calls - 1 as calls`;

/** Keys whose place in the ring is remembered at most. */
const REMEMBERED_KEYS = 10_000;

/**
 * Counts one authenticated request, whatever becomes of it, and says whether it may pass.
 * One immediate transaction on the service database, so parallel requests and other processes of the
 * data directory are exact: of the requests of any 60 s no more than the rate pass. Undefined when
 * no such key exists or it was revoked; then nothing is counted.
 */
export const limiter = (
  db: Database.Database,
): ((key: string, now: number) => Standing | undefined) => {
  const countIn = db.prepare(COUNT_IN);
  const instantAt = db.prepare('select at from recent_call where key_id = ? and slot = ?').pluck();
  const remember = db.prepare(
    `insert into recent_call (key_id, slot, at) values (?, ?, ?)
     on conflict do update set at = excluded.at`,
  );
  const countDay = db.prepare(
    `insert into key_day (key_id, day, requests, refused) values (?, ?, 1, ?)
     on conflict do update set requests = requests + 1, refused = refused + excluded.refused`,
  );
  const firsts = new Map<string, First>();

  const atOf = (row: Counted, sequence: number): number =>
    instantAt.get(row.id, sequence % row.rate) as number;

  /**
   * Where to begin to look for the first request inside the minute. What had left the minute at an
   * earlier instant has left it now, whoever counted since; with the clock set back nothing is known.
   */
  const known = (row: Counted, now: number): First => {
    const oldest = Math.max(0, row.sequence - row.rate);
    const first = firsts.get(row.id);
    const holds = first !== undefined && first.now <= now && first.sequence >= oldest;
    return holds ? first : { sequence: oldest, at: undefined, now };
  };

  /** The first of a key's last `rate` requests that lies inside the minute before `now`. */
  const firstInside = (row: Counted, now: number): First => {
    const start = known(row, now);
    const isInside = (sequence: number): boolean => atOf(row, sequence) > now - MINUTE_MS;
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
    return { sequence: low, at: low < row.sequence ? atOf(row, low) : undefined, now };
  };

  const count = (key: string, now: number): Standing | undefined => {
    const day = dateOf(now);
    const row = countIn.get({ hash: hashOf(key), month: day.slice(0, 7) }) as Counted | undefined;
    if (row === undefined) return undefined;
    const first = firstInside(row, now);
    if (firsts.size >= REMEMBERED_KEYS) firsts.clear();
    firsts.set(row.id, first);
    const used = row.sequence - first.sequence;
    const refusal =
      used >= row.rate ? 'rate-limited' : row.calls >= row.quota ? 'quota-exhausted' : null;
    // a full minute: this request takes the oldest one's place in the ring
    const oldestAt = used < row.rate ? first.at : used > 1 ? atOf(row, first.sequence + 1) : now;
    remember.run(row.id, row.sequence % row.rate, now);
    countDay.run(row.id, day, refusal === null ? 0 : 1);
    return {
      id: row.id,
      at: now,
      scopes: row.scopes.split(',') as Scope[],
      ratePerMinute: row.rate,
      minuteLeft: Math.max(0, row.rate - used - 1),
      minuteResetsMs: Math.max(0, (oldestAt ?? now) + MINUTE_MS - now),
      callsPerMonth: row.quota,
      monthLeft: Math.max(0, row.quota - row.calls - 1),
      monthResetsMs: monthStart(now, 1) - now,
      monthMs: monthStart(now, 1) - monthStart(now, 0),
      refusal,
    };
  };
  const inTransaction = db.transaction(count);
  return (key, now) => inTransaction.immediate(key, now);
};

/** Requests of one key on one UTC day; `refused` of them were answered 429. */
export interface DayOfUse {
  readonly day: string; // YYYY-MM-DD
  readonly requests: number;
  readonly refused: number;
}

/** A key's use by day, newest first, at most `days` days. */
export const usageByDay = (db: Database.Database, keyId: string, days: number): DayOfUse[] =>
  db
    .prepare(
      'select day, requests, refused from key_day where key_id = ? order by day desc limit ?',
    )
    .all(keyId, days) as DayOfUse[];
