import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/base/clock.ts';
import { type Lake, openLake } from '../../../src/lake/open.ts';
import type { CallOutcome } from '../../../src/upstream/throttle/ledger.ts';

/**
 * A machine with a controlled true time, a wall clock that can be stepped, and reboots.
 * All its processes share its clock. `namesBoots` false: it cannot distinguish boots.
 */
export class Machine {
  trueAt: number;
  #wallOffsetMs = 0;
  #bootedAt: number;
  #boots = 1;
  readonly #namesBoots: boolean;
  constructor(startAt: number, namesBoots: boolean) {
    this.trueAt = startAt;
    this.#bootedAt = startAt - 1_000_000;
    this.#namesBoots = namesBoots;
  }
  stepWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }
  reboot(): void {
    this.#bootedAt = this.trueAt;
    this.#boots += 1;
  }
  /** The clock a process started now reads; its sleeping moves the true time. */
  clock(): Clock {
    return {
      now: () => Math.floor(this.trueAt + this.#wallOffsetMs),
      monotonic: () => this.trueAt - this.#bootedAt,
      boot: this.#namesBoots ? `boot ${this.#boots}` : undefined,
      sleep: async (ms, signal) => {
        const wakeAt = this.trueAt + ms;
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
        this.trueAt = Math.max(this.trueAt, wakeAt);
      },
    };
  }
}

/** A fresh lake in a new folder; `remove` closes and deletes it. */
export const freshLake = (): { lake: Lake; remove: () => void } => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-throttle-'));
  const lake = openLake(dataDir);
  lake.sqlite.pragma('synchronous = OFF');
  const remove = (): void => {
    lake.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { lake, remove };
};

/** Most instants inside any 60 s. */
export const worstMinute = (instants: readonly number[]): number => {
  const sorted = instants.toSorted((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((at, i) => i + 1 - sorted.findIndex((earlier) => earlier > at - 60_000)),
  );
};

/** Outcome of a call that was answered by now. */
export const answeredAt = (machine: Machine): CallOutcome => {
  const { now, monotonic } = machine.clock();
  const ended = { finishedAt: now(), endedMono: monotonic(), sent: true };
  return { status: 200, error: null, ...ended, rowsChanged: 0 };
};
