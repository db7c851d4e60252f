import { MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import type { LedgerDb } from './ledger-db.ts';

/** A daemon whose last sign is older has died; others take its slots over. */
const DEAD_MS = MINUTE_MS;
const ALIVE_MS = 15 * SECOND_MS;

interface Slot {
  readonly job: string;
  readonly slotAt: number;
}

/**
 * The schedule of all daemons that have the same keys: a fleet. Of them one takes a slot on, under its
 * own lake's name; where it dies before the slot is done, another takes it over within the minute.
 */
export class SharedSlots {
  readonly aliveMs = ALIVE_MS;
  readonly #db: LedgerDb;
  readonly #as: { readonly fleet: string; readonly lakeName: string; readonly owner: string };

  /** The newest slot of each job that this daemon had. */
  readonly #had = new Map<string, number>();

  /** @param as the fleet, and this daemon: `owner` is unique to each process */
  constructor(
    db: LedgerDb,
    as: { readonly fleet: string; readonly lakeName: string; readonly owner: string },
  ) {
    this.#db = db;
    this.#as = as;
  }

  /** True once for each slot that this daemon has, even if the first response about it was lost. */
  async claim({ job, slotAt }: Slot): Promise<boolean> {
    const { fleet, lakeName, owner } = this.#as;
    if (this.#had.get(job) === slotAt) return false;
    const isMine = await this.#db.call<boolean>('claim_slot', fleet, job, slotAt, lakeName, owner);
    if (isMine) this.#had.set(job, slotAt);
    return isMine;
  }

  async done(slot: Slot): Promise<void> {
    await this.#end(slot, true);
  }

  async giveBack(slot: Slot): Promise<void> {
    this.#had.delete(slot.job);
    await this.#end(slot, false);
  }

  async #end({ job, slotAt }: Slot, isDone: boolean): Promise<void> {
    const { fleet, owner } = this.#as;
    await this.#db.call('end_slot', fleet, job, slotAt, owner, isDone);
  }

  async takeOver(jobs: readonly string[]): Promise<Slot[]> {
    const { fleet, lakeName, owner } = this.#as;
    const slots = await this.#db.rows<Slot>(
      `select job, slot_at::float8 as "slotAt"
       from ${this.#db.schema}.take_over_slots($1, $2, $3, $4, $5)`,
      [fleet, jobs, lakeName, owner, DEAD_MS],
    );
    for (const { job, slotAt } of slots) this.#had.set(job, slotAt);
    return slots;
  }

  async keepAlive(): Promise<void> {
    await this.#db.call('keep_slots', this.#as.fleet, this.#as.owner);
  }
}
