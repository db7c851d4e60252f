import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { LedgerDb } from '../../src/upstream/ledger-postgres/ledger-db.ts';
import type { PostgresPair } from './postgres.ts';

/** Shared by the parts of the proof: a ledger and a folder for machines. */
export interface FleetWorld {
  readonly pair: PostgresPair;
  readonly db: LedgerDb;
  readonly scratch: string;
}

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
      ...['--folder', join(scratch, name), '--name', name, '--ledger', pair.url, ...more],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
