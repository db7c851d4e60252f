import type { Clock } from '../../base/clock.ts';
import type { Lake } from '../../lake/open.ts';

/** A slot of the schedule: when a job is due (Unix ms). */
export interface Slot {
  readonly job: string;
  readonly slotAt: number;
}

/** Who does which slot: the memory that all daemons of a schedule share. */
export interface SlotBook {
  /** Takes a slot on; false when it was taken on before, here or elsewhere. */
  claim(slot: Slot): boolean | Promise<boolean>;
  /** What was taken on is done. Safe to say again. */
  done?(slot: Slot): Promise<void>;
  /** Leaves a slot that was taken on and is not done to whoever comes next. */
  giveBack(slot: Slot): void | Promise<void>;
  /** Takes on the newest slots, of these jobs, of daemons that died. */
  takeOver?(jobs: readonly string[]): Promise<Slot[]>;
  /** Says that this daemon lives, to be done every `aliveMs`. */
  keepAlive?(): Promise<void>;
  readonly aliveMs?: number;
}

/** The slots of one data directory, in its lake: unique by job and slot, whoever inserts first has it. */
export class LakeSlots implements SlotBook {
  readonly #lake: Lake;
  readonly #clock: Clock;

  constructor(lake: Lake, clock: Clock) {
    this.#lake = lake;
    this.#clock = clock;
  }

  claim({ job, slotAt }: Slot): boolean {
    const { changes } = this.#lake.sqlite
      .prepare(
        'insert into slots (job, slot_at, claimed_at) values (?, ?, ?) on conflict do nothing',
      )
      .run(job, slotAt, this.#clock.now());
    return changes > 0;
  }

  giveBack({ job, slotAt }: Slot): void {
    this.#lake.sqlite.prepare('delete from slots where job = ? and slot_at = ?').run(job, slotAt);
  }
}

/**
 * The slots of a daemon that shares some of its jobs with other machines: what asks the service is done
 * by one of them, what only this lake needs, such as its export, by each for itself.
 */
export class PartlySharedSlots implements Required<SlotBook> {
  readonly #isShared: (job: string) => boolean;
  readonly #shared: Required<SlotBook>;
  readonly #own: SlotBook;
  readonly aliveMs: number;

  constructor(isShared: (job: string) => boolean, shared: Required<SlotBook>, own: SlotBook) {
    this.#isShared = isShared;
    this.#shared = shared;
    this.#own = own;
    this.aliveMs = shared.aliveMs;
  }

  #bookOf({ job }: Slot): SlotBook {
    return this.#isShared(job) ? this.#shared : this.#own;
  }

  claim(slot: Slot): boolean | Promise<boolean> {
    return this.#bookOf(slot).claim(slot);
  }

  async done(slot: Slot): Promise<void> {
    await this.#bookOf(slot).done?.(slot);
  }

  giveBack(slot: Slot): void | Promise<void> {
    return this.#bookOf(slot).giveBack(slot);
  }

  takeOver(jobs: readonly string[]): Promise<Slot[]> {
    return this.#shared.takeOver(jobs.filter(this.#isShared));
  }

  keepAlive(): Promise<void> {
    return this.#shared.keepAlive();
  }
}

/** Forgets slots that were due after an instant (Unix ms), so that they are claimed when they are due. */
export const forgetSlotsAfter = ({ sqlite }: Lake, after: number): number =>
  sqlite.prepare('delete from slots where slot_at > ?').run(after).changes;
