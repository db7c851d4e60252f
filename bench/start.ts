import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { figureOf, tellFigure } from './all/figure.ts';

// Waiting time of a person who types a command: `--help`, `status`, `sync` until its first call arrives
// at the service, and a whole first `sync` of the made-up world. Whole processes; what Node compiles is
// kept from one start to the next, as it is for whoever uses it, so the first round is not counted.
//
//   npm run bench start [-- --rounds 7]

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
const ROUNDS = Number(values.rounds);
const BIN = join(import.meta.dirname, '..', 'src', 'cli', 'bin.js');
const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));
const compiled = join(folder, 'compiled');

const homeOf = (name: string): string => {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return home;
};
const envOf = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: compiled,
  ...more,
});

/** Seconds of a whole command. */
const whole = (home: string, ...args: string[]): number => {
  const from = performance.now();
  execFileSync(process.execPath, [BIN, ...args, '--data-dir', home], {
    cwd: home,
    stdio: 'ignore',
    env: envOf(),
  });
  return (performance.now() - from) / 1000;
};

const arrived: { tell: () => void } = { tell: () => {} };
const service = createServer((_, response) => {
  arrived.tell();
  response.writeHead(503).end();
});
service.listen(0, '127.0.0.1');
await once(service, 'listening');
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;

/** Seconds until a sync's first call arrives. */
const firstCall = async (home: string): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  arrived.tell = resolve;
  const from = performance.now();
  const env = envOf({ TRENDLAKE_BASE_URL: url, TRENDLAKE_API_KEY: 'bench' });
  const sync = spawn(process.execPath, [BIN, 'sync', '--data-dir', home], {
    cwd: home,
    stdio: 'ignore',
    env,
  });
  await promise;
  const seconds = (performance.now() - from) / 1000;
  sync.kill('SIGKILL');
  await once(sync, 'exit');
  return seconds;
};

/** The rounds after the first. */
const measured = async (work: (round: number) => number | Promise<number>): Promise<number[]> => {
  const spans: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) spans.push(await work(round));
  return spans.slice(1);
};

try {
  const home = homeOf('one');
  const help = await measured(() => whole(home, '--help'));
  tellFigure(figureOf({ what: '`trendlake --help`', unit: 's', goal: 0.1 }, help));
  const fresh = await measured((round) => whole(homeOf(`fresh-${round}`), 'sync', '--quiet'));
  const status = await measured(() => whole(homeOf('fresh-0'), 'status'));
  tellFigure(figureOf({ what: '`trendlake status`', unit: 's', goal: 0.2 }, status));
  const first = await measured((round) => firstCall(homeOf(`called-${round}`)));
  tellFigure(
    figureOf({ what: '`trendlake sync` until its first call leaves', unit: 's', goal: 0.4 }, first),
  );
  tellFigure(
    figureOf(
      { what: 'a whole first `trendlake sync` of the made-up world', unit: 's', goal: 5 },
      fresh,
    ),
  );
} finally {
  service.close();
  rmSync(folder, { recursive: true, force: true });
}
