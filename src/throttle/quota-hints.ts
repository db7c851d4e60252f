import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { isoOf } from '../iso.ts';
import type { Lake } from '../lake/open.ts';
import { type Prepared, prepare, present } from '../lake/prepare.ts';
import { anyCallOf, type CountedKey, keyName } from './counted-key.ts';
import type { Limits } from './ledger.ts';
import { type LimitWord, limitWords } from './rate-limit-headers.ts';

/** A row of `quota_hint`. */
export interface QuotaHint extends Omit<LimitWord, 'resetsInMs'> {
  /** Unix ms. */
  resetsAt: number | null;
  seenAt: number;
  callId: number;
}

/** What the service stated is believed this long; then one call may ask anew. */
export const BELIEVED_MS = HOUR_MS;
/** A window at least this long is the month's. */
export const MONTH_FROM_MS = 20 * DAY_MS;
const LONGEST_ROWS = 20;

/** The window a word is about: as stated, else as the numbers we know tell. */
const windowOf = (
  { name, windowMs, quota, resetsInMs }: LimitWord,
  known: { ratePerMinute: number; callsPerMonth: number },
): number | null => {
  if (windowMs !== null) return windowMs;
  if (name.startsWith('X-Quota') || quota === known.callsPerMonth) return 30 * DAY_MS;
  if (quota === known.ratePerMinute) return MINUTE_MS;
  return resetsInMs !== null && resetsInMs > 2 * DAY_MS ? 30 * DAY_MS : null;
};

/** What headers say of limits, each with the window it is taken to be about. */
export const hintsIn = (
  headers: Readonly<Record<string, string>>,
  known: { ratePerMinute: number; callsPerMonth: number },
  now: number,
): LimitWord[] =>
  limitWords(headers, now)
    .slice(0, LONGEST_ROWS)
    .map((word) => ({
      ...word,
      name: word.name.slice(0, 100),
      stated: word.stated.slice(0, 500),
      windowMs: windowOf(word, known),
    }));

/** How long the service says to wait because a short window's calls are used up; 0: not. */
export const shortWaitMs = (words: readonly LimitWord[]): number =>
  Math.max(
    0,
    ...words
      .filter(({ remaining, windowMs }) => remaining === 0 && (windowMs ?? 0) <= HOUR_MS)
      .map(({ resetsInMs }) => ((resetsInMs ?? HOUR_MS) < HOUR_MS ? (resetsInMs ?? 0) : 0)),
  );

const hintReader = ({ sqlite }: Pick<Lake, 'sqlite'>): Prepared<QuotaHint> =>
  prepare<QuotaHint>(
    sqlite,
    `select name, stated, window_ms as windowMs, quota, remaining, resets_at as resetsAt,
         seen_at as seenAt, call_id as callId from quota_hint where key = ? order by seen_at desc, name`,
    {
      name: 'text',
      stated: 'text',
      windowMs: 'number?',
      quota: 'number?',
      remaining: 'number?',
      resetsAt: 'number?',
      seenAt: 'number',
      callId: 'number',
    },
  );

/** Every hint kept of a key, newest first. */
export const quotaHints = (lake: Pick<Lake, 'sqlite'>, key?: CountedKey): QuotaHint[] =>
  hintReader(lake).all(keyName(key));

/**
 * What the service says of its limits in headers. Other users of the same key show there. It may only
 * lower what the ledger believes is left: nothing it says frees a call.
 */
export class QuotaHints {
  readonly #lake: Pick<Lake, 'sqlite'>;
  readonly #limits: Pick<Limits, 'ratePerMinute' | 'callsPerMonth' | 'key'>;
  readonly #kept: Prepared<QuotaHint>;

  constructor(
    lake: Pick<Lake, 'sqlite'>,
    limits: Pick<Limits, 'ratePerMinute' | 'callsPerMonth' | 'key'>,
  ) {
    this.#lake = lake;
    this.#limits = limits;
    this.#kept = hintReader(lake);
  }

  /** Hints whose window has not ended. */
  #valid(now: number): QuotaHint[] {
    return this.#kept
      .all(keyName(this.#limits.key))
      .filter(
        ({ windowMs, resetsAt, seenAt }) =>
          windowMs !== null && now < (resetsAt ?? seenAt + windowMs) && seenAt - now < HOUR_MS,
      );
  }

  /** Calls that are left after those made since the hint. */
  #left({ remaining, callId }: QuotaHint): number {
    if (remaining === null) return Number.POSITIVE_INFINITY;
    const { sql, parameters } = anyCallOf(this.#limits.key);
    const made = `select count(*) from calls where id > @callId ${sql}`;
    const since = present(
      prepare(this.#lake.sqlite, made, 'number').get({ ...parameters, callId }),
    );
    return Math.max(0, remaining - since);
  }

  /** Calls left of the month; infinite while the service says nothing of it. */
  monthLeft(now: number): number {
    const ofMonth = this.#valid(now).filter(({ windowMs }) => (windowMs ?? 0) >= MONTH_FROM_MS);
    return Math.min(Number.POSITIVE_INFINITY, ...ofMonth.map((hint) => this.#left(hint)));
  }

  /** The hint by which no call is left for longer than an hour's window, if any. */
  spent(now: number): { spentUntil: number; why: string } | undefined {
    const hint = this.#valid(now).find(
      (word) =>
        (word.windowMs ?? 0) > HOUR_MS && now - word.seenAt < BELIEVED_MS && this.#left(word) === 0,
    );
    if (hint === undefined) return undefined;
    return {
      spentUntil: hint.resetsAt ?? hint.seenAt + (hint.windowMs ?? 0),
      why: `The service says no calls are left (${hint.name}, ${isoOf(hint.seenAt)}), though the ledger has some: somebody else uses the same key, or the plan is smaller than configured.`,
    };
  }

  /** Calls a minute by the service's word, where it names a limit of 60 s. */
  ratePerMinute(now: number): number {
    const ofMinute = this.#kept
      .all(keyName(this.#limits.key))
      .filter(
        ({ windowMs, quota, seenAt }) =>
          windowMs === MINUTE_MS && quota !== null && quota >= 1 && Math.abs(now - seenAt) < DAY_MS,
      );
    return Math.min(Number.POSITIVE_INFINITY, ...ofMinute.map(({ quota }) => quota ?? 0));
  }

  /**
   * Keeps what a response says; saying the same again changes nothing but when it was seen.
   * @returns how long the service says to wait because a short window's calls are used up; 0: not
   */
  note(callId: number, headers: Readonly<Record<string, string>>, now: number): number {
    const words = hintsIn(headers, this.#limits, now);
    if (words.length === 0) return 0;
    const upsert = this.#lake.sqlite.prepare(`
      insert into quota_hint (key, name, stated, window_ms, quota, remaining, resets_at, seen_at, call_id)
        values (@key, @name, @stated, @windowMs, @quota, @remaining, @resetsAt, @now, @callId)
      on conflict (key, name) do update set stated = excluded.stated, window_ms = excluded.window_ms,
        quota = excluded.quota, remaining = excluded.remaining, resets_at = excluded.resets_at,
        seen_at = excluded.seen_at, call_id = excluded.call_id where excluded.call_id > call_id`);
    const key = keyName(this.#limits.key);
    for (const word of words) {
      const { resetsInMs, ...stated } = word;
      const resetsAt = resetsInMs === null ? null : Math.ceil(now + resetsInMs);
      upsert.run({ key, ...stated, resetsAt, now, callId });
    }
    return shortWaitMs(words);
  }
}
