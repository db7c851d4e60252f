import Database from 'better-sqlite3';
import type { Clock } from '../base/clock.ts';

/** `PRAGMA auto_vacuum`: pages that are free can be given back in steps. */
export const INCREMENTAL = 2;
/** Some milliseconds of work, after which others may write. */
const PAGES_A_STEP = 500;
/** The next night's rows take free pages: a tenth of what is used, and 4 MB, stay. */
const STAYING_SHARE = 0.1;
const STAYING_PAGES = 1000;
/** A lake without steps is rewritten as a whole, which keeps writers waiting 3 s for each 100 MB. */
const REWRITTEN_BYTES = 128 * 1024 * 1024;

/** Result for a lake's free pages. */
export interface GivenBack {
  /** Bytes by which the file shrinks. */
  readonly bytes: number;
  /** Bytes that stay because the lake is too large to be rewritten at once; 0 otherwise. */
  readonly keptBytes: number;
}

const NOTHING: GivenBack = { bytes: 0, keptBytes: 0 };

/** Rewrites a lake, so that it holds no free page and gives back later ones in steps. Writers wait. */
export const rewriteLake = (path: string): void => {
  // a separate connection: sorting uses the disk, not memory
  const sqlite = new Database(path, { fileMustExist: true });
  try {
    sqlite.pragma('busy_timeout = 10000');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('temp_store = FILE');
    sqlite.pragma(`auto_vacuum = ${INCREMENTAL}`);
    sqlite.exec('vacuum');
  } finally {
    sqlite.close();
  }
};

/**
 * Gives the file system back what deleted rows left free, in short steps between which others write.
 * Killed at any moment it goes on with the next call. Lakes made before they could shrink in steps are
 * rewritten once, if they are small enough for others to wait.
 * @throws the signal's reason when stopped, SQLite's error for a full disk or a lake in use
 */
export const giveBackFreePages = async (
  { sqlite, path }: { readonly sqlite: Database.Database; readonly path: string },
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
): Promise<GivenBack> => {
  const read = (pragma: string): number => sqlite.pragma(pragma, { simple: true }) as number;
  const pageBytes = read('page_size');
  const before = read('page_count');
  const used = before - read('freelist_count');
  const target = Math.ceil(used * (1 + STAYING_SHARE)) + STAYING_PAGES;
  if (before <= target + PAGES_A_STEP) return NOTHING;
  if (read('auto_vacuum') !== INCREMENTAL) {
    if (used * pageBytes > REWRITTEN_BYTES)
      return { bytes: 0, keptBytes: (before - used) * pageBytes };
    rewriteLake(path);
  }
  for (let pages = read('page_count'); pages > target; ) {
    sqlite.pragma(`incremental_vacuum(${Math.min(PAGES_A_STEP, pages - target)})`);
    const left = read('page_count');
    if (left >= pages) break; // another connection took the free ones
    pages = left;
    await clock.sleep(0, signal);
  }
  sqlite.pragma('wal_checkpoint(passive)'); // the file itself shrinks with the last page of the journal
  return { bytes: Math.max(0, before - read('page_count')) * pageBytes, keptBytes: 0 };
};
