import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Lake } from '../../lake/open.ts';
import { CallRows } from '../throttle/call-rows.ts';
import type {
  Admission,
  CallOutcome,
  KeyMember,
  Ledger,
  Limits,
  MonthSpent,
  PlannedCall,
} from '../throttle/ledger.ts';
import { hintsIn, SHORT_WHY, shortWaitMs, spentText } from '../throttle/quota-hints.ts';
import { SLOT_MS } from '../throttle/slots.ts';
import type { ClockWatch } from './clock-watch.ts';
import { LedgerAwayError } from './errors.ts';
import type { LedgerDb } from './ledger-db.ts';

/** Result of `admit`. Instants are of the server's clock. */
interface Decision {
  at: number;
  /** The call's number, where it was admitted. */
  seq?: number;
  waitMs?: number;
  untilEndedMs?: number;
  pause?: { forMs: number; resumesAt: number; reason: string };
  spentUntil?: number;
  /** Calls of the month, with `spentUntil`. */
  limit?: number;
  hint?: { name: string; seenAt: number };
}

/** Result of `key_spent`. */
interface Spent {
  at: number;
  startsAt: number;
  endsAt: number;
  spent: number;
  byHand: number;
  left: number | null;
  inMinute: number;
  pause: { untilAt: number; reason: string } | null;
  members: readonly KeyMember[];
}

/** End of a call that is not reported yet. */
interface Ended {
  seq: number;
  outcome: CallOutcome;
  headers: Readonly<Record<string, string>>;
}

/** Failed admissions that are given back; older ones were, or count. */
const UNSENT_MOST = 20;

/** Calls spent in a key's month by the shared ledger, in the time of `now`. Limits are those of the machines that make calls. */
export const sharedSpent = async (
  db: LedgerDb,
  hash: string,
  { callsPerMonth, quotaReset }: Pick<Limits, 'callsPerMonth' | 'quotaReset'>,
  now: number,
): Promise<MonthSpent> => {
  const answer = await db.call<Spent>('key_spent', hash, quotaReset);
  const { at, startsAt, endsAt, spent, byHand, left, inMinute, pause, members } = answer;
  const limit =
    members.length === 0
      ? callsPerMonth
      : Math.min(...members.map((member) => member.callsPerMonth));
  const remaining = Math.max(0, Math.min(limit - spent, left ?? limit));
  const shownPause = pause === null ? null : { ...pause, untilAt: pause.untilAt - at + now };
  const month = { startsAt, endsAt, limit, spent, remaining };
  return { month, byHand, at: now, moment: { inMinute, pause: shownPause, members } };
};

/** Key and sender of a ledger in PostgreSQL. */
interface SharedLedgerDeps {
  readonly db: LedgerDb;
  readonly watch: ClockWatch;
  readonly lake: Lake;
  /** Under which calls stand in the ledger. */
  readonly lakeName: string;
  readonly clock: Clock;
  readonly sender: string;
  readonly hash: string;
  /** Under which calls stand in the lake, where it has several keys. */
  readonly keyName?: string | undefined;
  readonly limits: Limits;
}

/**
 * The ledger of a key in PostgreSQL, which any number of machines share. A call is admitted there, by a
 * transaction that is committed before this returns; then it has its row in the lake, too, which its response
 * belongs to. Its end is reported once the lake's transaction is through; until then, or if this process dies
 * before, it counts and holds its slot for as long as it may last.
 *
 * When the connection fails while a call is admitted, it is unknown whether it was counted: it is not sent,
 * the ledger gives it back once it answers, and another is admitted in its place.
 */
export class SharedLedger implements Ledger {
  readonly #deps: SharedLedgerDeps;
  readonly #rows: CallRows;
  /** The numbers of calls in flight, by their row in the lake. */
  readonly #seqs = new Map<number, number>();
  readonly #ended = new Map<number, Ended>();
  #telling: Promise<void> = Promise.resolve();
  /** Names its admissions, unlike those of any other process. */
  readonly #id = randomUUID();
  #admissions = 0;
  /** Admissions that failed here and may stand in the ledger, newest first. */
  #unsent: readonly string[] = [];

  constructor(deps: SharedLedgerDeps) {
    const { lake, clock, limits, sender, keyName } = deps;
    this.#deps = deps;
    this.#rows = new CallRows(lake, clock, limits.timeoutMs, { sender, key: keyName });
  }

  async admit(call: PlannedCall): Promise<Admission> {
    const { db, watch, clock, hash, limits, lakeName } = this.#deps;
    const sentMono = clock.monotonic();
    this.#admissions += 1;
    const token = `${this.#id}.${this.#admissions}`;
    // with its own: an attempt before the one that is answered may have been counted
    const asked = { ...call, token, unsent: [token, ...this.#unsent], lake: lakeName };
    const decision = await db.call<Decision>('admit', hash, asked, limits).catch(async (error) => {
      this.#unsent = [token, ...this.#unsent].slice(0, UNSENT_MOST);
      await this.#giveBack();
      throw error;
    });
    if (!watch.agrees(decision.at, sentMono, clock.monotonic())) {
      await db.call('hold_key', hash, limits); // what was admitted counts and is not sent
      return { waitMs: SLOT_MS };
    }
    return this.#admission(call, decision);
  }

  /** Calls that cannot be given back go on counting, even after this process ends. */
  async #giveBack(): Promise<void> {
    if (this.#unsent.length === 0) return;
    const { db, hash } = this.#deps;
    await db.call('give_back', hash, JSON.stringify(this.#unsent)).catch(() => {});
  }

  #admission(call: PlannedCall, decision: Decision): Admission {
    const { at, seq, waitMs, untilEndedMs, pause, spentUntil, limit, hint } = decision;
    const { clock, limits } = this.#deps;
    const now = clock.now();
    const here = (there: number): number => there - at + now;
    if (seq !== undefined) {
      const callId = this.#rows.enter(call);
      this.#seqs.set(callId, seq);
      return { callId };
    }
    if (pause !== undefined) return { pause: { ...pause, resumesAt: here(pause.resumesAt) } };
    if (untilEndedMs !== undefined) return { untilEndedMs };
    if (spentUntil === undefined) return { waitMs: Math.max(1, waitMs ?? 1) };
    const why =
      hint === undefined
        ? `All ${limit ?? limits.callsPerMonth} calls of the month are spent.`
        : spentText(hint);
    return { spentUntil: here(spentUntil), why };
  }

  settle(
    callId: number,
    outcome: CallOutcome,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    this.#rows.settle(callId, outcome);
    const seq = this.#seqs.get(callId);
    if (seq === undefined) return;
    this.#ended.set(callId, { seq, outcome, headers });
    queueMicrotask(() => this.#report()); // once the lake's transaction is through
  }

  #report(): void {
    if (this.#ended.size > 0) this.#telling = this.#telling.then(() => this.#tellEnded());
  }

  /** Reports that fail are sent with the next one. A call that is never settled counts. */
  async #tellEnded(): Promise<void> {
    const { db, clock, hash, limits } = this.#deps;
    for (const [callId, { seq, outcome, headers }] of [...this.#ended]) {
      const { status, sent } = outcome;
      // a sentence that was cut may end in half a character, which PostgreSQL's JSON refuses
      const error = outcome.error?.toWellFormed() ?? null;
      const hints = hintsIn(headers, limits, clock.now());
      const short = { shortMs: shortWaitMs(hints), shortWhy: SHORT_WHY };
      const { ratePerMinute } = limits;
      const settled = { status, error, sent, hints, ...short, ratePerMinute };
      try {
        await db.call('settle', hash, seq, settled);
      } catch (failure) {
        if (failure instanceof LedgerAwayError) return; // the next admission meets the same and says so
        continue; // one refused report does not block the others
      }
      this.#ended.delete(callId);
      this.#seqs.delete(callId);
    }
  }

  async pause(ms: number, reason: string): Promise<void> {
    await this.#deps.db.call('pause_key', this.#deps.hash, Math.ceil(ms), reason);
  }

  together(work: () => void): void {
    this.#deps.lake.sqlite.transaction(work).immediate();
  }

  spent(): Promise<MonthSpent> {
    const { db, hash, limits, clock } = this.#deps;
    return sharedSpent(db, hash, limits, clock.now());
  }

  async drain(): Promise<void> {
    this.#report();
    await this.#telling;
    await this.#giveBack();
  }
}
