import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresPrograms } from '../../fixtures/postgres-programs.ts';
import { systemClock } from '../../src/base/clock.ts';
import { postgresAddress } from '../../src/base/config/postgres-url.ts';
import { initLedger } from '../../src/upstream/ledger-postgres/init-ledger.ts';
import { LedgerDb } from '../../src/upstream/ledger-postgres/ledger-db.ts';
import { figureLine } from '../pace/strict-upstream.ts';
import { type PostgresPair, startPair } from './postgres.ts';

/** A ledger of a part of the proof, with a folder for its machines. */
export interface FleetWorld {
  readonly pair: PostgresPair;
  readonly db: LedgerDb;
  readonly scratch: string;
  /** Notes a figure, which is printed once the part ends. */
  readonly say: (name: string, figure: string) => void;
}

/** Gives a part its own servers, and prints its figures under its name. */
export const inWorld = async <T>(
  programs: PostgresPrograms,
  name: string,
  prove: (world: FleetWorld) => Promise<T>,
): Promise<T> => {
  const pair = await startPair(programs);
  const scratch = mkdtempSync(join(tmpdir(), 'trendlake-machines-'));
  const address = postgresAddress(pair.url);
  if (address === undefined) throw new Error('no address');
  const db = new LedgerDb(address, { clock: systemClock });
  const lines = [`${name}:\n`];
  const say = (...figure: [string, string]) => lines.push(figureLine(...figure));
  try {
    const { warnings } = await initLedger(db);
    if (warnings.length > 0) throw new Error(warnings.join(' '));
    return await prove({ pair, db, scratch, say });
  } finally {
    process.stdout.write(lines.join(''));
    await db.close();
    await pair.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
};

/** Starts a machine: a process with its own folder. */
export const startMachine = (
  { pair, scratch }: FleetWorld,
  name: string,
  more: readonly string[],
): ChildProcess =>
  spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'worker.ts'),
      '--folder',
      join(scratch, name),
      '--name',
      name,
      '--ledger',
      pair.url,
      ...more,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
