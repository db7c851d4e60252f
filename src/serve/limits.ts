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

interface Row {
  readonly id: string;
  readonly scopes: string;
  readonly rate: number;
  readonly quota: number;
  readonly sequence: number;
  readonly month: string;
  readonly calls: number;
}

const monthStart = (at: number, later: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

/**
 * Counts one authenticated request, whatever becomes of it, and says whether it may pass.
 * One immediate transaction on the service database, so parallel requests and other processes of the
 * data directory are exact: of the requests of any 60 s no more than the rate pass. Undefined when
 * no such key exists or it was revoked; then nothing is counted.
 */
export const limiter = (
  db: Database.Database,
): ((key: string, now: number) => Standing | undefined) => {
  const find = db.prepare(
    `select id, scopes, rate_per_minute as rate, calls_per_month as quota, sequence, month,
     month_calls as calls from api_key where hash = ? and revoked_at is null`,
  );
  const instantAt = db.prepare('select at from recent_call where key_id = ? and slot = ?').pluck();
  const remember = db.prepare(
    `insert into recent_call (key_id, slot, at) values (?, ?, ?)
     on conflict do update set at = excluded.at`,
  );
  const advance = db.prepare(
    'update api_key set sequence = ?, month = ?, month_calls = ? where id = ?',
  );
  const countDay = db.prepare(
    `insert into key_day (key_id, day, requests, refused) values (?, ?, 1, ?)
     on conflict do update set requests = requests + 1, refused = refused + excluded.refused`,
  );

  const atOf = (row: Row, sequence: number): number =>
    instantAt.get(row.id, sequence % row.rate) as number;

  /** The number of the first of a key's last `rate` requests that lies inside the minute before `now`. */
  const firstInside = (row: Row, now: number): number => {
    let low = Math.max(0, row.sequence - row.rate);
    let high = row.sequence;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (atOf(row, middle) > now - MINUTE_MS) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  const count = (key: string, now: number): Standing | undefined => {
    const row = find.get(hashOf(key)) as Row | undefined;
    if (row === undefined) return undefined;
    const day = dateOf(now);
    const month = day.slice(0, 7);
    const before = row.month === month ? row.calls : 0;
    const first = firstInside(row, now);
    const used = row.sequence - first;
    const refusal =
      used >= row.rate ? 'rate-limited' : before >= row.quota ? 'quota-exhausted' : null;
    remember.run(row.id, row.sequence % row.rate, now);
    advance.run(row.sequence + 1, month, before + 1, row.id);
    countDay.run(row.id, day, refusal === null ? 0 : 1);
    const oldest = used < row.rate ? first : first + 1; // this request took the oldest one's place
    const oldestAt = oldest < row.sequence ? atOf(row, oldest) : now;
    return {
      id: row.id,
      at: now,
      scopes: row.scopes.split(',') as Scope[],
      ratePerMinute: row.rate,
      minuteLeft: Math.max(0, row.rate - used - 1),
      minuteResetsMs: Math.max(0, oldestAt + MINUTE_MS - now),
      callsPerMonth: row.quota,
      monthLeft: Math.max(0, row.quota - before - 1),
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
