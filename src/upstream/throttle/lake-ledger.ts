import type { Clock } from '../../base/clock.ts';
import { MINUTE_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { CallRows } from './call-rows.ts';
import { anyCallOf, type CountedKey } from './counted-key.ts';
import type {
  Admission,
  CallOutcome,
  Ledger,
  LedgerSource,
  Limits,
  MonthSpent,
  PlannedCall,
  Refusal,
} from './ledger.ts';
import { emptyMonth, type MonthState, monthReader } from './month.ts';
import { pauseAt, SharedPause } from './pause.ts';
import { QuotaHints, SHORT_WHY } from './quota-hints.ts';
import { Slots } from './slots.ts';

/** The calls left in a month: by the ledger, or fewer where the service states fewer. */
export const monthState = (
  lake: Pick<Lake, 'sqlite'>,
  limits: Omit<Limits, 'timeoutMs'>,
  now: number,
): MonthState => {
  const month = monthReader(lake, limits)(now);
  const left = new QuotaHints(lake, limits).monthLeft(now);
  return { ...month, remaining: Math.min(month.remaining, left) };
};

/** Calls of a key that left after an instant, by the wall clock: to be shown, not to be paced by. */
const leftAfter = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  after: number,
  key: CountedKey | undefined,
  which = '',
): number => {
  const of = anyCallOf(key);
  const left = `select count(*) from calls where sent_at > @after and sent = 1 ${which} ${of.sql}`;
  return required(prepare(sqlite, left, 'number').get({ ...of.parameters, after }));
};

/** Calls of the month by the lake's own ledger. A new lake has spent nothing. */
export const lakeSpent = (
  lake: Pick<Lake, 'sqlite'>,
  limits: Omit<Limits, 'timeoutMs'>,
  now: number,
): MonthSpent => {
  const month = monthState(lake, limits, now);
  const { key } = limits;
  const byHand = leftAfter(lake, month.startsAt - 1, key, 'and run_id is null');
  const inMinute = leftAfter(lake, now - MINUTE_MS, key);
  return { month, byHand, at: now, moment: { inMinute, pause: pauseAt(lake, now, key) } };
};

/**
 * The ledger of a key's calls in the lake and the rules over it: the pause the service asked for, the
 * month, the slots of the minute. All of them are read from tables, so they hold for every process of a data
 * directory, and after any end of one.
 */
export class LakeLedger implements Ledger {
  readonly #lake: Lake;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #slots: Slots;
  readonly #pause: SharedPause;
  readonly #hints: QuotaHints;
  readonly #month: (now: number) => MonthState;
  readonly #rows: CallRows;

  constructor(lake: Lake, clock: Clock, limits: Limits, sender: string) {
    this.#lake = lake;
    this.#clock = clock;
    this.#limits = limits;
    this.#slots = new Slots(lake, clock, limits, sender);
    this.#pause = new SharedPause(lake, clock, limits.key);
    this.#hints = new QuotaHints(lake, limits);
    this.#month = monthReader(lake, limits);
    const by = { sender, key: limits.key?.name };
    this.#rows = new CallRows(lake, clock, limits.timeoutMs, by);
  }

  spent(): MonthSpent {
    return lakeSpent(this.#lake, this.#limits, this.#clock.now());
  }

  /** One immediate transaction, so that two processes never take the same slot. */
  admit(call: PlannedCall): Admission {
    return this.#lake.sqlite
      .transaction(() => this.#refusal() ?? { callId: this.#rows.enter(call) })
      .immediate();
  }

  #refusal(): Refusal | undefined {
    const now = this.#clock.now();
    const pause = this.#pause.current();
    if (pause !== undefined) return { pause };
    const month = this.#month(now);
    if (month.remaining === 0)
      return {
        spentUntil: month.endsAt,
        why: `All ${month.limit} calls of the month are spent.`,
      };
    const hint = this.#hints.refusal(now);
    if (hint !== undefined) return hint;
    const rate = Math.min(this.#limits.ratePerMinute, this.#hints.ratePerMinute(now));
    return this.#slots.count() >= rate ? { waitMs: this.#slots.held().freeInMs } : undefined;
  }

  settle(
    callId: number,
    outcome: CallOutcome,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    this.#rows.settle(callId, outcome);
    const shortMs = this.#hints.note(callId, headers, this.#clock.now());
    if (shortMs > 0 && this.#slots.count() < this.#limits.ratePerMinute)
      this.#pause.set(shortMs, SHORT_WHY);
  }

  pause(ms: number, reason: string): void {
    this.#lake.sqlite.transaction(() => this.#pause.set(ms, reason)).immediate();
  }

  together(work: () => void): void {
    this.#lake.sqlite.transaction(work).immediate();
  }
}

/** Ledgers of single machines: each data directory counts for itself. */
export const LAKE_LEDGERS: LedgerSource = {
  open: (lake, limits, { clock, sender }) => new LakeLedger(lake, clock, limits, sender),
  spent: (lake, limits, now) =>
    lake === undefined
      ? { month: emptyMonth(limits, now), byHand: 0, at: now }
      : lakeSpent(lake, limits, now),
};
