import { SECOND_MS } from '../../base/durations.ts';
import type { RunProgress } from '../../run/run/run-deps.ts';
import type { CliIo } from '../context/io.ts';
import { counted, grouped } from './figures.ts';

const EVERY_MS = 10 * SECOND_MS;
const LEAST_TOLD_MS = 5 * SECOND_MS;

const spanText = (ms: number): string =>
  ms < 90 * SECOND_MS ? `${Math.ceil(ms / SECOND_MS)} s` : `${Math.ceil(ms / 60_000)} min`;

const progressText = ({ job, ended, planned, callsSent }: RunProgress): string =>
  `${job}: ${grouped(ended)} of ${counted(planned, 'request')}, ${counted(callsSent, 'call')} spent`;

/**
 * Progress of a run and its waits. A terminal shows one line; elsewhere a line every ten seconds
 * and for each long wait.
 */
export class SyncProgress {
  readonly #io: CliIo;
  #toldAt: number;
  #last: RunProgress | undefined;
  #wait: { readonly until: number; readonly why: string } | undefined;
  #ticking: AbortController | undefined;

  constructor(io: CliIo) {
    this.#io = io;
    this.#toldAt = io.clock.monotonic();
  }

  readonly show = (progress: RunProgress): void => {
    this.#last = progress;
    this.#wait = undefined;
    const { ended, planned, remainingMs } = progress;
    const left = remainingMs === null || ended >= planned ? '' : `, ${spanText(remainingMs)} left`;
    const text = `${progressText(progress)}${left}`;
    this.#io.progress(text);
    const { clock, isTerminal, note } = this.#io;
    if (isTerminal || clock.monotonic() - this.#toldAt < EVERY_MS) return;
    this.#toldAt = clock.monotonic();
    note(text);
  };

  /** Reports a wait of `ms`: for the service, or for the key's pace. */
  readonly wait = (ms: number, why: string): void => {
    const { clock, isTerminal, note } = this.#io;
    const isNew = this.#wait?.why !== why;
    this.#wait = { until: clock.monotonic() + ms, why };
    if (!isTerminal && isNew && ms >= LEAST_TOLD_MS)
      note(`Waiting ${spanText(ms)}: ${why}${this.#spent()}`);
    if (isTerminal && this.#ticking === undefined) void this.#tick();
  };

  readonly clear = (): void => {
    this.#wait = undefined;
    this.#ticking?.abort();
    this.#io.redraw('');
  };

  [Symbol.dispose](): void {
    this.clear();
  }

  #spent(): string {
    return this.#last === undefined ? '' : ` (${progressText(this.#last)})`;
  }

  async #tick(): Promise<void> {
    const ticking = new AbortController();
    this.#ticking = ticking;
    const { clock, redraw } = this.#io;
    try {
      for (let wait = this.#wait; wait !== undefined; wait = this.#wait) {
        const leftMs = wait.until - clock.monotonic();
        if (leftMs <= 0) return;
        redraw(`Waiting ${spanText(leftMs)}: ${wait.why}${this.#spent()}`);
        await clock.sleep(Math.min(SECOND_MS, leftMs), ticking.signal);
      }
    } catch {
      // cleared: the wait is over
    } finally {
      this.#ticking = undefined;
    }
  }
}
