import type { CliIo } from './io.ts';

/** One line at the bottom of a terminal that says how far a command is; silent elsewhere. */
export interface ProgressLine {
  show(text: string): void;
  clear(): void;
}

const EVERY_MS = 100;

/** A progress line on stderr. Redrawn at most ten times a second. */
export const progressLine = (io: CliIo): ProgressLine => {
  if (!io.isTerminal) return { show: () => {}, clear: () => {} };
  let drawnAt = Number.NEGATIVE_INFINITY;
  let drawn = false;
  return {
    show: (text) => {
      const now = io.clock.monotonic();
      if (now - drawnAt < EVERY_MS) return;
      drawnAt = now;
      drawn = true;
      io.draw(`\r\u001b[2K${text}`);
    },
    clear: () => {
      if (drawn) io.draw('\r\u001b[2K');
      drawn = false;
    },
  };
};
