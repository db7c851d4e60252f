import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare, required } from '../../lake/prepare.ts';
import { anyCallOf, type CountedKey, keyName } from './counted-key.ts';
import type { Limits, Refusal } from './ledger.ts';
import { monthWindow } from './month.ts';
import { type LimitWord, limitWords } from './rate-limit-headers.ts';
import { SLOT_MS } from './slots.ts';

/** A row of `quota_hint`. `callId`: the newest call when it was stated; those after it are not in it. */
export interface QuotaHint extends Omit<LimitWord, 'resetsInMs'> {
  /** Unix ms. */
  resetsAt: number | null;
  seenAt: number;
  callId: number;
}

/** Lifetime of what the service stated. After it, one call may ask again. */
export const BELIEVED_MS = HOUR_MS;
/** A window at least this long is the month's. */
export const MONTH_FROM_MS = 20 * DAY_MS;
const LONGEST_ROWS = 20;
/** A call that has not ended once it may last no longer never will: its process died. */
const MAY_LAST = `abs(@now - sent_at) < free_mono - sent_mono - ${SLOT_MS}`;

/** Calls that a hint leaves: at most, if it counts every call in flight; and surely, if it counts none. */
interface Left {
  readonly atMost: number;
  readonly surely: number;
}
const UNLIMITED: Left = { atMost: Number.POSITIVE_INFINITY, surely: Number.POSITIVE_INFINITY };

/** Reason of a pause after a short window without calls. */
export const SHORT_WHY = 'Somebody else uses the same key: the service has no calls left.';

/** Reason why no call may leave although the ledger has calls left. */
export const spentText = ({ name, seenAt }: Pick<QuotaHint, 'name' | 'seenAt'>): string =>
  `The service says no calls are left (${name}, ${isoOf(seenAt)}), though the ledger has some: somebody else uses the same key, or the plan is smaller than configured.`;

/** The window of a hint: as stated, or derived from the known limits. */
const windowOf = (
  { name, windowMs, quota, resetsInMs }: LimitWord,
  known: { ratePerMinute: number; callsPerMonth: number },
): number | null => {
  if (windowMs !== null) return windowMs;
  if (name.startsWith('X-Quota') || quota === known.callsPerMonth) return 30 * DAY_MS;
  if (quota === known.ratePerMinute) return MINUTE_MS;
  return resetsInMs !== null && resetsInMs > 2 * DAY_MS ? 30 * DAY_MS : null;
};

/** The limits of a key that headers are read by. */
type KnownLimits = Pick<Limits, 'ratePerMinute' | 'callsPerMonth' | 'quotaReset'>;

/**
 * Limits in headers, each with its window. A month without a stated
 * reset ends as configured: 30 days after the last day of a month would be a month late.
 */
export const hintsIn = (
  headers: Readonly<Record<string, string>>,
  known: KnownLimits,
  now: number,
): LimitWord[] =>
  limitWords(headers, now)
    .slice(0, LONGEST_ROWS)
    .map((word) => {
      const windowMs = windowOf(word, known);
      const isMonth = (windowMs ?? 0) >= MONTH_FROM_MS;
      const monthLeftMs = isMonth ? monthWindow(known.quotaReset, now).endsAt - now : null;
      return {
        ...word,
        name: word.name.slice(0, 100),
        stated: word.stated.slice(0, 500),
        windowMs,
        resetsInMs: word.resetsInMs ?? monthLeftMs,
      };
    });

/** Wait that the service asks for because a short window is used up; 0 if it is not. */
export const shortWaitMs = (words: readonly LimitWord[]): number =>
  Math.max(
    0,
    ...words
      .filter(({ remaining, windowMs }) => remaining === 0 && (windowMs ?? 0) <= HOUR_MS)
      .map(({ resetsInMs }) => ((resetsInMs ?? HOUR_MS) < HOUR_MS ? (resetsInMs ?? 0) : 0)),
  );

const hintReader = ({ sqlite }: Pick<Lake, 'sqlite'>): Prepared<QuotaHint> =>
  prepare(
    sqlite,
    `select name, stated, window_ms as windowMs, quota, remaining, resets_at as resetsAt,
         seen_at as seenAt, call_id as callId from quota_hint where key = +? order by seen_at desc, name`,
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

const KEEP = `
  insert into quota_hint (key, name, stated, window_ms, quota, remaining, resets_at, seen_at, call_id)
    select @key, @name, @stated, @windowMs, @quota, @remaining, @resetsAt, @now,
      max(@callId, (select coalesce(max(id), 0) from calls))
    where true
  on conflict (key, name) do update set stated = excluded.stated, window_ms = excluded.window_ms,
    quota = excluded.quota, remaining = excluded.remaining, resets_at = excluded.resets_at,
    seen_at = excluded.seen_at, call_id = excluded.call_id
  where @callId > call_id or remaining is null or excluded.remaining <= remaining
    or coalesce(resets_at, seen_at + window_ms) <= @now`;

/** Every hint kept of a key, newest first. */
export const quotaHints = (lake: Pick<Lake, 'sqlite'>, key?: CountedKey): QuotaHint[] =>
  hintReader(lake).all(keyName(key));

/**
 * Limits that the service states in headers. They include other users of the same key. It may only
 * lower what the ledger believes is left: nothing it says frees a call.
 */
export class QuotaHints {
  readonly #limits: KnownLimits & Pick<Limits, 'key'>;
  readonly #keep;
  readonly #kept;
  /** Calls made after the one whose response carried a hint, and those in flight that it may not count. */
  readonly #calls;

  constructor(lake: Pick<Lake, 'sqlite'>, limits: KnownLimits & Pick<Limits, 'key'>) {
    this.#limits = limits;
    this.#keep = lake.sqlite.prepare(KEEP);
    this.#kept = hintReader(lake);
    const { sql } = anyCallOf(limits.key);
    this.#calls = prepare(
      lake.sqlite,
      `select (select count(*) from calls where id > @callId and sent = 1 ${sql}) as later,
         (select count(*) from calls where finished_at is null and id <= @callId
            and ${MAY_LAST} ${sql}) as inFlight`,
      { later: 'number', inFlight: 'number' },
    );
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

  /** Calls left by a hint. The service may not have counted calls in flight. */
  #left({ remaining, callId }: QuotaHint, now: number): Left {
    if (remaining === null) return UNLIMITED;
    const { parameters } = anyCallOf(this.#limits.key);
    const { later, inFlight } = required(this.#calls.get({ ...parameters, callId, now }));
    const atMost = Math.max(0, remaining - later);
    return { atMost, surely: Math.max(0, atMost - inFlight) };
  }

  /** Calls left of the month; infinite while the service says nothing of it. */
  monthLeft(now: number): number {
    const ofMonth = this.#valid(now).filter(({ windowMs }) => (windowMs ?? 0) >= MONTH_FROM_MS);
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...ofMonth.map((hint) => this.#left(hint, now).surely),
    );
  }

  /**
   * Why no call may leave by a hint of a window longer than an hour, if so: none is left, or those in
   * flight may take what is.
   */
  refusal(now: number): Refusal | undefined {
    const hints = this.#valid(now)
      .filter(({ windowMs, seenAt }) => (windowMs ?? 0) > HOUR_MS && now - seenAt < BELIEVED_MS)
      .map((hint) => ({ hint, left: this.#left(hint, now) }));
    const spent = hints.find(({ left }) => left.atMost === 0)?.hint;
    if (spent !== undefined)
      return {
        spentUntil: spent.resetsAt ?? spent.seenAt + (spent.windowMs ?? 0),
        why: spentText(spent),
      };
    return hints.some(({ left }) => left.surely === 0) ? { untilEndedMs: SECOND_MS } : undefined;
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
   * Keeps what a response says. Of responses to calls that overlapped, the service counted the one last
   * that says the least is left, whenever each of them came; one to a call that began after what is kept
   * was stated takes its place.
   * @returns how long the service says to wait because a short window's calls are used up; 0: not
   */
  note(callId: number, headers: Readonly<Record<string, string>>, now: number): number {
    const words = hintsIn(headers, this.#limits, now);
    if (words.length === 0) return 0;
    const key = keyName(this.#limits.key);
    for (const word of words) {
      const { resetsInMs, ...stated } = word;
      const resetsAt = resetsInMs === null ? null : now + resetsInMs;
      this.#keep.run({ key, ...stated, resetsAt, now, callId });
    }
    return shortWaitMs(words);
  }
}
