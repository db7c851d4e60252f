import { UsageError } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
import { living, whileLiving } from '../../lake/exclusive.ts';
import { LAKE_HOLDERS } from '../../run/schedule/daemon.ts';
import type { CliIo } from './io.ts';

/** Runs `work` of a command that keeps the lake open, so that a restore refuses meanwhile. */
export const whileOpen = <T>(
  io: Pick<CliIo, 'clock' | 'random'>,
  dataDir: string,
  name: (typeof LAKE_HOLDERS)[number],
  work: () => Promise<T>,
): Promise<T> => {
  const word = Math.floor(io.random() * 2 ** 48).toString(36);
  return whileLiving(dataDir, { name, word, clock: io.clock }, work);
};

/** @throws UsageError naming a process that has the lake open */
export const refuseWhileOpen = (dataDir: string): void => {
  for (const name of LAKE_HOLDERS) {
    const [holder] = living(dataDir, name);
    if (holder !== undefined)
      throw new UsageError(
        `${name} has the lake of ${dataDir} open (${holder.holder}, since ${isoOf(holder.since)}). Stop it, then restore.`,
      );
  }
};
