import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { respondJson, startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { MINUTE_MS } from '../../src/base/durations.ts';
import type { FleetWorld } from './world.ts';

const BIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'bin.js');
/** Calls that the key may make before another takes over: five failures, and those in flight. */
const MOST_REFUSED = 10;

/**
 * A run with two keys, of which the service turns one away (429 without Retry-After).
 * @returns whether the other key did all the work
 */
export const proveTurnedAway = async ({ pair, scratch, say }: FleetWorld): Promise<boolean> => {
  const upstream = await startFaultyUpstream(() => ({ request, response, body }) => {
    const isRefused = request.headers.authorization === 'Bearer secret-a';
    respondJson(response, isRefused ? {} : body, isRefused ? 429 : 200);
  });
  const dataDir = join(scratch, 'turned-away');
  mkdirSync(dataDir);
  const limits = { ratePerMinute: 300, callsPerMonth: 10_000 };
  const keys = ['a', 'b'].map((name) => ({ name, keyEnv: `KEY_${name.toUpperCase()}`, ...limits }));
  const settings = JSON.stringify({ baseUrl: upstream.baseUrl, keys });
  writeFileSync(join(dataDir, 'trendlake.config.json'), settings, { mode: 0o600 });
  const startedAt = performance.now();
  const run = spawn(
    process.execPath,
    [BIN, 'sync', '--json', '--no-export', '--jobs', 'feed,trends'],
    {
      cwd: dataDir,
      env: {
        ...process.env,
        KEY_A: 'secret-a',
        KEY_B: 'secret-b',
        TRENDLAKE_DATA_DIR: dataDir,
        TRENDLAKE_LEDGER_URL: pair.url,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: MINUTE_MS,
    },
  );
  const [out, [code]] = await Promise.all([text(run.stdout), once(run, 'close')]);
  const seconds = (performance.now() - startedAt) / 1000;
  const refused = upstream.arrivals.filter(
    ({ authorization }) => authorization === 'Bearer secret-a',
  ).length;
  const { outcome = 'none' } = out === '' ? {} : (JSON.parse(out) as { outcome?: string });
  await upstream.close();

  say('keys, of which turned away', '2, 1');
  say('outcome of the run', `${outcome}, exit code ${code}, ${seconds.toFixed(1)} s`);
  say('calls turned away, others', `${refused}, ${upstream.arrivals.length - refused}`);
  return code === 0 && outcome === 'complete' && refused > 0 && refused <= MOST_REFUSED;
};
