import { once } from 'node:events';
import { systemClock } from '../../src/base/clock.ts';
import type { Surroundings } from '../../src/cli/context/io.ts';
import { run } from '../../src/cli/main.ts';

// `trendlake serve` in its own process, as people run it except for its clock, which starts at an
// instant and runs on, so that cached data grows old. Stops when its input ends.

const [at = ''] = process.argv.slice(2);
const startedAt = Number(at) - performance.now();
const stopping = new AbortController();
const io: Surroundings = {
  env: process.env,
  cwd: process.cwd(),
  clock: { ...systemClock, now: () => Math.floor(startedAt + performance.now()) },
  random: Math.random,
  signal: stopping.signal,
  isTerminal: false,
  columns: undefined,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  draw: () => {},
};
void once(process.stdin.resume(), 'end').then(() => stopping.abort(new Error('stopped')));
process.exitCode = await run(['serve', '--port', '0', '--json'], io);
