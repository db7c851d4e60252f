import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { openLake } from '../../src/lake/open.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { type Proof, urlOf } from './proof.ts';

const CHILD = join(import.meta.dirname, 'publish-child.ts');

/** Result of one publish, time of its process from the start, and its peak memory. */
export interface PublishedOnce {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly durationMs: number;
  readonly seconds: number;
  readonly mebibytes: number;
}

/** Publishes an exported lake in a separate process. */
export const publishExport = async (
  proof: Proof,
  dataDir: string,
  name: string,
): Promise<PublishedOnce> => {
  const env = { ...process.env, ...proof.store.env };
  const child = fork(CHILD, [dataDir, name, urlOf(proof)], { env });
  let done: PublishedOnce | undefined;
  child.on('message', (message: PublishedOnce) => {
    done = message;
  });
  await once(child, 'exit');
  if (done === undefined) throw new Error(`publishing ${name} failed; its message is above`);
  return done;
};

/** Exports a lake and publishes it. */
export const publishOnce = async (
  proof: Proof,
  dataDir: string,
  name: string,
): Promise<PublishedOnce> => {
  const lake = openLake(dataDir);
  await exportLake(lake, { clock: systemClock });
  lake.close();
  return publishExport(proof, dataDir, name);
};
