import type { Lake } from './open.ts';

const FULL = 2;

/**
 * Runs one transaction whose commit does not wait for the disk. It is on disk with the next commit
 * that does: the journal is one file, and the row of the next call is synced before that leaves. A
 * process that is killed loses nothing; a power cut takes back at most what was loaded since the last
 * call left, which is then asked for again.
 */
export const withoutSync = <T>({ sqlite }: Pick<Lake, 'sqlite'>, transaction: () => T): T => {
  if (sqlite.inTransaction || sqlite.pragma('synchronous', { simple: true }) !== FULL)
    return transaction();
  sqlite.exec('pragma synchronous = NORMAL'); // `pragma` makes a statement of each, as dear as ten such
  try {
    return transaction();
  } finally {
    sqlite.exec('pragma synchronous = FULL');
  }
};

/** Brings what was committed without waiting onto the disk, and as much of it as is free into the file. */
export const syncLake = ({ sqlite }: Pick<Lake, 'sqlite'>): void => {
  sqlite.pragma('wal_checkpoint(PASSIVE)');
};
