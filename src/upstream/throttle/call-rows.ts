import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { CallOutcome, PlannedCall } from './ledger.ts';
import { SLOT_MS } from './slots.ts';

/** When a call leaves and until when it holds its slot, by the monotonic clock of a boot. */
export interface HeldSlot {
  boot: string;
  sentMono: number;
  freeMono: number;
}

/** Writes the lake's rows of calls: what was asked, and how it ended. */
export class CallRows {
  readonly #sender: string;
  readonly #key: string | null;
  readonly #newest;
  readonly #insert;
  readonly #settle;

  /** @param key name of the key that calls are made with; undefined: the only one */
  constructor({ sqlite }: Lake, sender: string, key: string | undefined) {
    this.#sender = sender;
    this.#key = key ?? null;
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

  /** The row of a call that leaves at `now` (Unix ms). @returns its id */
  enter(call: PlannedCall, now: number, slot: HeldSlot): number {
    const newest = required(this.#newest.get());
    const callId = this.#insert.get({
      ...call,
      ...slot,
      now,
      countedAt: newest !== null && newest > now ? newest : null,
      sender: this.#sender,
      key: this.#key,
    });
    return required(callId);
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
