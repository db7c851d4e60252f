import type { CliIo } from '../context/io.ts';

const EVERY_MS = 100;

/** A progress line at the bottom of a terminal, redrawn ten times a second. */
export class ProgressLine {
  readonly #io: CliIo;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(io: CliIo) {
    this.#io = io;
  }

  show(text: string): void {
    const now = this.#io.clock.monotonic();
    if (now - this.#drawnAt < EVERY_MS) return;
    this.#drawnAt = now;
    this.#io.redraw(text);
  }

  clear(): void {
    this.#io.redraw('');
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
