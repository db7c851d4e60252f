import { virtualClock } from '../../src/base/clock.ts';
import type { Surroundings } from '../../src/cli/context/io.ts';

/** Surroundings of a command, and what was printed, drawn and requested. */
export const surroundings = (given: Partial<Surroundings> = {}) => {
  const [out, err, drawn]: [string[], string[], string[]] = [[], [], []];
  const asked = { signal: false };
  const around: Surroundings = {
    env: {},
    cwd: '/',
    clock: virtualClock(Date.UTC(2026, 2, 1)),
    random: () => 0.5,
    get signal() {
      asked.signal = true;
      return new AbortController().signal;
    },
    isTerminal: false,
    columns: undefined,
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    draw: (text) => void drawn.push(text),
    ...given,
  };
  return { around, asked, out, err, drawn };
};
