import type { Clock } from '../../base/clock.ts';
import { livingWords } from '../../lake/exclusive.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import type { Cron } from '../plan/cron.ts';
import { DAEMON } from './daemon.ts';

/** A slot of the schedule: instant at which a job is due (Unix ms). */
export interface Slot {
  readonly job: string;
  readonly slotAt: number;
}

/** Assigns slots to daemons. Shared by all daemons of a schedule. */
export interface SlotBook {
  /** Claims a slot. False if it is already claimed. */
  claim(slot: Slot): boolean | Promise<boolean>;
  /** Marks a claimed slot as done. Safe to call twice. */
  done(slot: Slot): void | Promise<void>;
  /** Gives a claimed slot that is not done to the next daemon. */
  giveBack(slot: Slot): void | Promise<void>;
  /** Claims the newest slots of these jobs from dead daemons. */
  takeOver(jobs: readonly string[]): Slot[] | Promise<Slot[]>;
  /** Records earlier slots that no daemon claimed. */
  noteMissed?(slot: Slot, cron: Pick<Cron, 'slots'>): void;
  /** Frees slots after `at` (Unix ms), which come again after the clock was set back. */
  forgetAfter?(at: number): void;
  /** Call it every `aliveMs` while the daemon runs. */
  keepAlive?(): Promise<void>;
  readonly aliveMs?: number;
}

/** Maximum number of missed slots to record at once, newest first. */
const RECORDED_MISSED = 500;

/** Condition of slots that dead daemons claimed. */
const LEFT_OPEN = `done_at is null and missed is null
  and owner in (select value from json_each(@dead))`;

/**
 * Slots of one data directory, stored in its lake. A claim of a dead daemon is taken over once. If
 * a later slot of the job was claimed, it is recorded as missed.
 */
export class LakeSlots implements SlotBook {
  readonly #lake: Lake;
  readonly #clock: Clock;
  readonly #owner: string;

  /** @param owner the word that `whileLiving` writes while this daemon runs */
  constructor(lake: Lake, clock: Clock, owner: string) {
    this.#lake = lake;
    this.#clock = clock;
    this.#owner = owner;
  }

  claim({ job, slotAt }: Slot): boolean {
    const { changes } = this.#lake.sqlite
      .prepare(
        'insert into slots (job, slot_at, claimed_at, owner) values (?, ?, ?, ?) on conflict do nothing',
      )
      .run(job, slotAt, this.#clock.now(), this.#owner);
    return changes > 0;
  }

  done({ job, slotAt }: Slot): void {
    this.#lake.sqlite
      .prepare('update slots set done_at = ? where job = ? and slot_at = ? and owner = ?')
      .run(this.#clock.now(), job, slotAt, this.#owner);
  }

  giveBack({ job, slotAt }: Slot): void {
    this.#lake.sqlite
      .prepare('delete from slots where job = ? and slot_at = ? and owner = ? and done_at is null')
      .run(job, slotAt, this.#owner);
  }

  takeOver(jobs: readonly string[]): Slot[] {
    const { sqlite, dataDir } = this.#lake;
    const owners = prepare(
      sqlite,
      `select distinct owner from slots
       where done_at is null and missed is null and owner is not null and owner <> ?`,
      'text',
    ).all(this.#owner);
    if (owners.length === 0) return [];
    const alive = livingWords(dataDir, DAEMON);
    const values = {
      dead: JSON.stringify(owners.filter((owner) => !alive.has(owner))),
      jobs: JSON.stringify(jobs),
      now: this.#clock.now(),
      me: this.#owner,
    };
    const markMissed = sqlite.prepare(
      `update slots set missed =
         case when job in (select value from json_each(@jobs))
           then 'Its daemon died, and a later slot was done instead.'
           else 'Its daemon died, and the job is no longer scheduled.' end
       where ${LEFT_OPEN} and (job not in (select value from json_each(@jobs)) or exists (
         select 1 from slots later
         where later.job = slots.job and later.slot_at > slots.slot_at and later.missed is null))`,
    );
    // A run that began under this claim is resumed separately; repeating it would spend its calls
    // twice.
    const claim = prepare(
      sqlite,
      `update slots set owner = @me, claimed_at = @now, done_at = case when exists (
           select 1 from run_items i join runs r on r.id = i.run_id
           where i.job = slots.job and r.started_at >= slots.claimed_at) then @now end
       where ${LEFT_OPEN} returning job, slot_at as slotAt, done_at as doneAt`,
      { job: 'text', slotAt: 'number', doneAt: 'number?' },
    );
    const settle = (): Slot[] => {
      markMissed.run(values);
      const claimed = claim.all(values).filter(({ doneAt }) => doneAt === null);
      return claimed.map(({ job, slotAt }) => ({ job, slotAt }));
    };
    return sqlite.transaction(settle).immediate();
  }

  noteMissed({ job, slotAt }: Slot, cron: Pick<Cron, 'slots'>): void {
    const { sqlite } = this.#lake;
    const previous = prepare(
      sqlite,
      'select max(slot_at) from slots where job = ? and slot_at < ?',
      'number?',
    ).get(job, slotAt);
    if (previous === undefined || previous === null) return;
    const insert = sqlite.prepare(
      `insert into slots (job, slot_at, claimed_at, missed) values (?, ?, ?, 'No daemon was running.')
       on conflict do nothing`,
    );
    const record = (): void => {
      for (const at of cron.slots(previous, slotAt).slice(-RECORDED_MISSED))
        insert.run(job, at, this.#clock.now());
    };
    sqlite.transaction(record).immediate();
  }

  forgetAfter(at: number): void {
    const find = prepare(
      this.#lake.sqlite,
      'select 1 from slots where slot_at > ? limit 1',
      'number',
    );
    if (find.get(at) !== undefined) forgetSlotsAfter(this.#lake, at);
  }
}

/** A slot book of several machines. */
export type SharedSlotBook = SlotBook & Required<Pick<SlotBook, 'keepAlive' | 'aliveMs'>>;

/**
 * Slots of a daemon that shares some jobs with other machines. Shared jobs run on one machine.
 * Others, such as the export, run on each.
 */
export const partlySharedSlots = (
  isShared: (job: string) => boolean,
  shared: SharedSlotBook,
  own: SlotBook,
): SlotBook => {
  const bookOf = ({ job }: Slot): SlotBook => (isShared(job) ? shared : own);
  return {
    aliveMs: shared.aliveMs,
    claim: (slot) => bookOf(slot).claim(slot),
    done: (slot) => bookOf(slot).done(slot),
    giveBack: (slot) => bookOf(slot).giveBack(slot),
    takeOver: async (jobs) => [
      ...(await own.takeOver(jobs.filter((job) => !isShared(job)))),
      ...(await shared.takeOver(jobs.filter(isShared))),
    ],
    noteMissed: (slot, cron) => bookOf(slot).noteMissed?.(slot, cron),
    forgetAfter: (at) => own.forgetAfter?.(at),
    keepAlive: () => shared.keepAlive(),
  };
};

/** Deletes slots after an instant (Unix ms), so that they can be claimed again. */
export const forgetSlotsAfter = ({ sqlite }: Lake, after: number): number =>
  sqlite.prepare('delete from slots where slot_at > ?').run(after).changes;
