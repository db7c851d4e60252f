import type { Clock } from '../../base/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare, type RowOf, required } from '../../lake/prepare.ts';
import type { CountedKey } from './counted-key.ts';

/** Time that a slot is held after its response: a minute, plus the drift of two clocks (0.08 %). */
export const SLOT_MS = MINUTE_MS + 50;

/** Longest life of a slot, in minutes, whatever a process had for `timeoutMs` (at most 600,000). */
export const LONGEST_MINUTES = 12;

/** Rows of all keys that a starting process searches for its key. */
const MET_ROWS = 20_000;

/** Slots held now, and for how long until the first is free (0 when none is held). */
export interface HeldSlots {
  count: number;
  freeInMs: number;
}

const COLUMNS = `id, sender, sent_at as sentAt, sent_mono as sentMono, free_mono as freeMono,
  finished_at is null as inFlight`;

/** A call of a name that no key has now, or of none, may have been any key's: it holds a slot of each. */
const NOT_OF_OTHERS = `and coalesce(key, '') not in (select value from json_each(@others))`;

/** A call as the rule sees it. Monotonic times in ms. */
const ROW = {
  id: 'number',
  sender: 'text',
  sentAt: 'number',
  sentMono: 'number',
  freeMono: 'number',
  inFlight: 'number', // 0 or 1
} as const;
type SlotRow = RowOf<typeof ROW>;

/**
 * The slots of the minute, read from the ledger's rows. A slot is held from before its request leaves until
 * its response has ended plus a minute; of a call whose end is not known, as long as it may last plus a
 * minute. If one call more than allowed arrived inside any 60 s, one of them would have begun after another's
 * end + 60 s: so none can.
 *
 * Time is the monotonic clock all processes of one boot share, so steps of the wall clock do not matter. How
 * long ago a call of another boot was made is unknown: it counts as made when it was first seen here, or when
 * the first call after it was made. Where the machine does not name its boots, a row is of this one when wall
 * and monotonic clock agree on its age.
 */
export class Slots {
  readonly #clock: Clock;
  readonly #sender: string;
  readonly #boot: string;
  readonly #spanMs: number;
  /** No row up to this one can hold a slot. */
  readonly #afterId: number;
  /** Names of the other keys, as JSON. */
  readonly #others: string;
  readonly #held;
  readonly #heldCount: Prepared<number>;
  /** Rows of other boots, and the monotonic instant at which they are over at the latest. */
  readonly #strangers = new Map<number, number>();

  constructor(
    { sqlite }: Lake,
    clock: Clock,
    limits: { ratePerMinute: number; timeoutMs: number; key?: CountedKey | undefined },
    sender: string,
  ) {
    this.#clock = clock;
    this.#sender = sender;
    this.#boot = clock.boot ?? '';
    this.#spanMs = limits.timeoutMs + SLOT_MS;
    this.#others = JSON.stringify(limits.key?.others ?? []);
    const ofKey = limits.key === undefined ? '' : NOT_OF_OTHERS;
    const held = `from calls where boot = @boot and free_mono > @mono and id > @afterId ${ofKey}`;
    this.#held = prepare(sqlite, `select ${COLUMNS} ${held}`, ROW);
    this.#heldCount = prepare(sqlite, `select count(*) ${held}`, 'number');
    const latest = `from calls
      where id > (select coalesce(max(id), 0) from calls) - ${MET_ROWS} ${ofKey} order by id desc`;
    const newest = prepare(sqlite, `select ${COLUMNS}, boot ${latest} limit @ratePerMinute`, {
      ...ROW,
      boot: 'text',
    });
    const { ratePerMinute } = limits;
    this.#meet(newest.all({ others: this.#others, ratePerMinute }));
    // the monotonic clock alone decides for rows of a named boot; for rows without a name,
    // those of long ago may seem to, so it counts as many of the rows from before us as may be held
    const skipped = LONGEST_MINUTES * ratePerMinute;
    const last = prepare(
      sqlite,
      `select coalesce((select id ${latest} limit 1 offset @skipped),
        (select max(id) from calls) - ${MET_ROWS}, 0)`,
      'number',
    );
    this.#afterId = this.#boot === '' ? required(last.get({ others: this.#others, skipped })) : 0;
  }

  /** Slots held by all processes. An index is enough if boots have names. */
  count(): number {
    if (this.#boot === '') return this.held().count;
    const mono = this.#clock.monotonic();
    return required(this.#heldCount.get(this.#at(mono))) + this.#strange(mono).length;
  }

  /** The slots held by all processes. */
  held(): HeldSlots {
    const mono = this.#clock.monotonic();
    const rows = this.#held.all(this.#at(mono));
    for (const row of rows)
      if (!this.#isOfThisBoot(row) && !this.#strangers.has(row.id))
        this.#strangers.set(row.id, mono + this.#spanMs);
    const own = rows.filter((row) => !this.#strangers.has(row.id));
    const strange = this.#strange(mono);
    const count = own.length + strange.length;
    if (count === 0) return { count, freeInMs: 0 };
    const first = Math.min(...own.map(({ freeMono }) => freeMono), ...strange);
    // while every slot is in flight, one may end and be free sooner than its row says
    const longestMs = own.every(({ inFlight }) => inFlight === 1) ? SECOND_MS : SLOT_MS;
    return { count, freeInMs: Math.min(longestMs, Math.max(1, Math.ceil(first - mono))) };
  }

  /** Selects the rows of this boot that hold a slot at a monotonic instant. */
  #at(mono: number): Record<string, string | number> {
    const [boot, afterId, others] = [this.#boot, this.#afterId, this.#others];
    return { boot, mono: Math.floor(mono), afterId, others };
  }

  /** When the slots of other boots are free that are still held. */
  #strange(mono: number): number[] {
    return [...this.#strangers.values()].filter((freeMono) => freeMono > mono);
  }

  /** Notes the rows of other boots that were there before us, newest first. */
  #meet(rows: readonly (SlotRow & { boot: string })[]): void {
    const mono = this.#clock.monotonic();
    let nextMono: number | undefined; // when the call after it was made, as far as we can know
    for (const row of rows) {
      if (row.boot === this.#boot && this.#isOfThisBoot(row)) nextMono = row.sentMono;
      else {
        const seen = mono + (row.inFlight === 1 ? this.#spanMs : SLOT_MS);
        const latest = nextMono === undefined ? seen : nextMono + this.#spanMs;
        this.#strangers.set(row.id, Math.min(seen, latest));
      }
    }
  }

  #isOfThisBoot({ sender, sentAt, sentMono }: SlotRow): boolean {
    if (this.#boot !== '' || sender === this.#sender) return true;
    const monoAgeMs = this.#clock.monotonic() - sentMono;
    const wallAgeMs = this.#clock.now() - sentAt;
    return monoAgeMs > -1 && Math.abs(wallAgeMs - monoAgeMs) <= SECOND_MS + monoAgeMs / 1000;
  }
}
