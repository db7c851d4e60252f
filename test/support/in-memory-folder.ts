import { accessSync, constants, statfsSync } from 'node:fs';

const IN_MEMORY = '/dev/shm';
/** Twice what the tests put aside at a time. Containers often have 64 MB there. */
const ROOM_BYTES = 2 ** 30;

/** The folder of this machine whose files lie in memory; undefined where it has none with room for the tests. */
export const inMemoryFolder = (): string | undefined => {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize < ROOM_BYTES ? undefined : IN_MEMORY;
  } catch {
    return undefined;
  }
};
