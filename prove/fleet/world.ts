import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { LedgerDb } from '../../src/upstream/ledger-postgres/ledger-db.ts';
import type { PostgresPair } from './postgres.ts';

/** What the parts of the proof share: a ledger and a folder for machines. */
export interface FleetWorld {
  readonly pair: PostgresPair;
  readonly db: LedgerDb;
  readonly scratch: string;
}

/** Starts a machine: a process with a folder of its own. */
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
