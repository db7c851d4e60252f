import type { Clock } from '../clock.ts';
import type { Lake } from '../lake/open.ts';
import { type MonthState, monthOf } from './month.ts';
import { type Pause, SharedPause } from './pause.ts';
import { QuotaHints } from './quota-hints.ts';
import { SLOT_MS, Slots } from './slots.ts';

/** What a tier allows, and how long one call may take at most. */
export interface Limits {
  ratePerMinute: number;
  callsPerMonth: number;
  quotaReset: string;
  timeoutMs: number;
}

/** A call that is about to be made. */
export interface PlannedCall {
  runId: number | null;
  job: string;
  request: string;
}

/** How a call ended. `status` is null when no answer came. */
export interface CallOutcome {
  status: number | null;
  error: string | null;
  /** Unix ms at which its answer was complete or abandoned; `endedMono` by the monotonic clock. */
  finishedAt: number;
  endedMono: number;
  /** False: it found nobody, so nothing left the machine. */
  sent: boolean;
  /** Rows that loading its response inserted or updated; null where nothing was loaded. */
  rowsChanged: number | null;
}

/** Why a call may not leave yet: no slot is free, the service asked to wait, calls are spent. */
export type Refusal = { waitMs: number } | { pause: Pause } | { spentUntil: number; why: string };

/** The month, as the ledger has it and as far as the service's own word lowers it. */
export const monthState = (
  lake: Pick<Lake, 'sqlite'>,
  limits: Pick<Limits, 'ratePerMinute' | 'callsPerMonth' | 'quotaReset'>,
  now: number,
): MonthState => {
  const month = monthOf(lake, limits, now);
  const left = new QuotaHints(lake, limits).monthLeft(now);
  return { ...month, remaining: Math.min(month.remaining, left) };
};

/**
 * The ledger of calls and the rules over it: the pause the service asked for, the month, the slots of
 * the minute. All of them are read from tables, so they hold for every process of a data
 * directory, and after any end of one.
 */
export class Ledger {
  readonly #lake: Lake;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #sender: string;
  readonly #slots: Slots;
  readonly #pause: SharedPause;
  readonly #hints: QuotaHints;
  readonly #statements;

  constructor(lake: Lake, clock: Clock, limits: Limits, sender: string) {
    this.#lake = lake;
    this.#clock = clock;
    this.#limits = limits;
    this.#sender = sender;
    this.#slots = new Slots(lake, clock, limits, sender);
    this.#pause = new SharedPause(lake, clock);
    this.#hints = new QuotaHints(lake, limits);
    const { sqlite } = lake;
    this.#statements = {
      newest: sqlite.prepare('select max(sent_at) from calls').pluck(),
      insert: sqlite
        .prepare(
          `insert into calls (run_id, job, request, sent_at, counted_at, sender, boot, sent_mono, free_mono)
           values (@runId, @job, @request, @now, @countedAt, @sender, @boot, @sentMono, @freeMono)
           returning id`,
        )
        .pluck(),
      settle: sqlite.prepare(
        `update calls set finished_at = ?, status = ?, error = ?, sent = ?, rows_changed = ?,
           free_mono = ? where id = ?`,
      ),
    };
  }

  /** See {@link monthState}. */
  month(): MonthState {
    return monthState(this.#lake, this.#limits, this.#clock.now());
  }

  /**
   * Lets a call leave if pause, month and pace allow: its row is committed before this returns. One
   * immediate transaction, so that two processes never take the same slot.
   */
  admit(call: PlannedCall): { callId: number } | Refusal {
    return this.#lake.sqlite
      .transaction(() => this.#refusal() ?? { callId: this.#enter(call) })
      .immediate();
  }

  #refusal(): Refusal | undefined {
    const now = this.#clock.now();
    const pause = this.#pause.current();
    if (pause !== undefined) return { pause };
    const month = monthOf(this.#lake, this.#limits, now);
    if (month.remaining === 0)
      return {
        spentUntil: month.endsAt,
        why: `All ${month.limit} calls of the month are spent.`,
      };
    const hint = this.#hints.spent(now);
    if (hint !== undefined) return hint;
    const held = this.#slots.held();
    const rate = Math.min(this.#limits.ratePerMinute, this.#hints.ratePerMinute(now));
    return held.count >= rate ? { waitMs: held.freeInMs } : undefined;
  }

  #enter(call: PlannedCall): number {
    const now = this.#clock.now();
    const newest = this.#statements.newest.get() as number | null;
    return this.#statements.insert.get({
      ...call,
      ...this.#slots.take(),
      now,
      countedAt: newest !== null && newest > now ? newest : null,
      sender: this.#sender,
    }) as number;
  }

  /**
   * Writes how a call ended and from when its slot is free: at once where nothing was sent. A call
   * whose response is loaded is settled by calling this inside the transaction that loads it.
   */
  settle(callId: number, outcome: CallOutcome): void {
    const { status, error, finishedAt, endedMono, sent, rowsChanged } = outcome;
    const freeMono = Math.ceil(endedMono) + (sent ? SLOT_MS : 0);
    const sentFlag = sent ? 1 : 0;
    this.#statements.settle.run(
      ...[finishedAt, status, error, sentFlag, rowsChanged, freeMono, callId],
    );
  }

  /** Keeps what an answer said of the quota. Inside the transaction that settles its call. */
  noteHeaders(callId: number, headers: Readonly<Record<string, string>>): void {
    const shortMs = this.#hints.note(callId, headers, this.#clock.now());
    const { count } = this.#slots.held();
    if (shortMs > 0 && count < this.#limits.ratePerMinute)
      this.#pause.set(shortMs, 'Somebody else uses the same key: the service has no calls left.');
  }

  /** Nobody, in no process of the data directory, sends for `ms`. */
  pause(ms: number, reason: string): void {
    this.#lake.sqlite.transaction(() => this.#pause.set(ms, reason)).immediate();
  }

  /** Runs `work` in one transaction of the lake. */
  together(work: () => void): void {
    this.#lake.sqlite.transaction(work).immediate();
  }
}
