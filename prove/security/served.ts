import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildLake, END_AT } from '../../bench/serve/build-lake.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createKey, revokeKey, type Scope } from '../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';

const BIN = fileURLToPath(new URL('../../src/cli/bin.js', import.meta.url));

/** `trendlake serve` over a small lake, in a separate process, and keys of every kind. */
export interface Served {
  readonly origin: string;
  readonly dataDir: string;
  /** A roomy key with these scopes; all of them unless given. */
  newKey(scopes?: readonly Scope[]): string;
  revokedKey(): string;
  stop(): Promise<void>;
}

/** The secret that the service shares with a made-up upstream. */
export const HOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

const originOf = async (child: ChildProcess): Promise<string> => {
  if (child.stdout === null) throw new Error('the service has no output');
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('{')) return new URL((JSON.parse(line) as { url: string }).url).origin;
  throw new Error('the service ended before it listened');
};

/** Starts it; stop it when done. */
export const startServed = async (): Promise<Served> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-prove-'));
  buildLake(dataDir, 500, 4);
  const wish = {
    useCase: 'proof',
    tier: 'enterprise',
    ratePerMinute: 100_000,
    callsPerMonth: 1e9,
  } as const;
  const db = openServiceDb(dataDir);
  const made = (scopes?: readonly Scope[]) =>
    createKey(db, { ...wish, ...(scopes === undefined ? {} : { scopes }) }, systemClock.now());
  const child = spawn(
    process.execPath,
    [BIN, 'serve', '--port', '0', '--json', '--at', new Date(END_AT).toISOString()],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        PATH: process.env.PATH,
        HOME: dataDir,
        TRENDLAKE_DATA_DIR: dataDir,
        TRENDLAKE_HOOK_SECRET: HOOK_SECRET,
        TRENDLAKE_LOG: 'off',
      },
    },
  );
  const origin = await originOf(child);
  return {
    origin,
    dataDir,
    newKey: (scopes) => made(scopes).key,
    revokedKey: () => {
      const { key, record } = made();
      revokeKey(db, record.id, systemClock.now());
      return key;
    },
    stop: async () => {
      db.close();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
