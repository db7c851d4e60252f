import type { Clock } from '../../base/clock.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { CallOutcome, PlannedCall } from './ledger.ts';
import { SLOT_MS } from './slots.ts';

/** Writes the lake's rows of calls: what was asked, and how it ended. */
export class CallRows {
  readonly #clock: Clock;
  readonly #spanMs: number;
  readonly #by: { readonly sender: string; readonly key: string | null };
  readonly #newest;
  readonly #insert;
  readonly #settle;

  /** @param key name of the key that calls are made with; undefined: the only one */
  constructor(
    { sqlite }: Lake,
    clock: Clock,
    timeoutMs: number,
    { sender, key }: { sender: string; key: string | undefined },
  ) {
    this.#clock = clock;
    this.#spanMs = timeoutMs + SLOT_MS;
    this.#by = { sender, key: key ?? null };
    this.#newest = prepare(sqlite, 'select max(sent_at) from calls', 'number?');
    this.#insert = prepare(
      sqlite,
      `insert into calls (run_id, job, request, sent_at, counted_at, sender, boot, sent_mono, free_mono, key)
         values (@runId, @job, @request, @now, @countedAt, @sender, @boot, @sentMono, @freeMono, @key)
         returning id`,
      'number',
    );
    this.#settle = sqlite.prepare(
      `update calls set finished_at = ?, status = ?, error = ?, sent = ?, rows_changed = ?,
         new_videos = ?, free_mono = ? where id = ?`,
    );
  }

  /** The row of a call that leaves now and holds its slot as long as it may last. @returns its id */
  enter(call: PlannedCall): number {
    const now = this.#clock.now();
    const newest = required(this.#newest.get());
    const countedAt = newest !== null && newest > now ? newest : null;
    const sentMono = Math.floor(this.#clock.monotonic());
    const slot = { boot: this.#clock.boot ?? '', sentMono, freeMono: sentMono + this.#spanMs + 1 };
    return required(this.#insert.get({ ...call, ...slot, now, countedAt, ...this.#by }));
  }

  /** Outcome of a call, and the instant its slot is free: at once if nothing was sent. */
  settle(callId: number, outcome: CallOutcome): void {
    const { status, error, finishedAt, endedMono, sent, rowsChanged, newVideos } = outcome;
    const freeMono = Math.ceil(endedMono) + (sent ? SLOT_MS : 0);
    const sentFlag = sent ? 1 : 0;
    const loaded = [rowsChanged, newVideos ?? null];
    this.#settle.run(finishedAt, status, error, sentFlag, ...loaded, freeMono, callId);
  }
}

/**
 * Moves calls written down after an instant (Unix ms) to `now`: they were sent, so they go on counting.
 * @returns how many
 */
export const moveCallsAfter = ({ sqlite }: Lake, after: number, now: number): number =>
  sqlite
    .prepare(
      `update calls set sent_at = min(sent_at, @now), finished_at = min(finished_at, @now), counted_at = null
       where sent_at > @after or finished_at > @after or counted_at > @after`,
    )
    .run({ after, now }).changes;
