import { systemClock } from '../../base/clock.ts';
import { EXIT } from '../../base/errors.ts';
import type { Surroundings } from './io.ts';

/** Aborts at the first signal; the second ends the process. */
const stoppedBySignals = (): AbortSignal => {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
      stopping.abort(new Error(`stopped by ${name}`));
    });
  return stopping.signal;
};

/** Ends the process when nobody reads its output, as behind `head`. */
const endWithReader = (): void => {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // a socket with unread lines reports a reset
    if (code === 'EPIPE' || code === 'ECONNRESET') process.exit(EXIT.complete);
    process.stderr.write(`trendlake: the output cannot be printed: ${message}\n`);
    process.exit(EXIT.failed);
  });
  process.stderr.on('error', () => {}); // a daemon goes on without a reader
};

/** True for a locale without UTF-8 and for dumb terminals. */
const wantsAscii = ({ LC_ALL, LC_CTYPE, LANG, TERM }: NodeJS.ProcessEnv): boolean =>
  TERM === 'dumb' || !/utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');

/** Surroundings of this process. Signal handlers are installed when the signal is first read. */
export const processSurroundings = (): Surroundings => {
  endWithReader();
  const { env, stdout, stderr } = process;
  let signal: AbortSignal | undefined;
  return {
    env,
    cwd: process.cwd(),
    clock: systemClock,
    random: Math.random,
    get signal() {
      signal ??= stoppedBySignals();
      return signal;
    },
    ownsStdout: true,
    get input() {
      return process.stdin;
    },
    isTerminal: stderr.isTTY === true,
    columns: stdout.columns,
    ascii: stdout.isTTY !== true || wantsAscii(env),
    colours: {
      out: stdout.isTTY === true && stdout.hasColors(env),
      err: stderr.isTTY === true && stderr.hasColors(env),
    },
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    draw: (text) => void stderr.write(text),
  };
};
