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
  sqlite.exec('pragma synchronous = NORMAL'); // ten times as fast as the method `pragma`, which prepares a statement each time
  try {
    return transaction();
  } finally {
    sqlite.exec('pragma synchronous = FULL');
  }
};

/** Syncs what was committed without waiting, and moves as much of the journal as possible into the file. */
export const syncLake = ({ sqlite }: Pick<Lake, 'sqlite'>): void => {
  sqlite.pragma('wal_checkpoint(PASSIVE)');
};
