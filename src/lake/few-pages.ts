import type { Lake } from './open.ts';
import { prepare, required } from './prepare.ts';

const FEW_KIB = 4096;

/**
 * Runs `work`, which goes through much of a lake once, with a cache of 4 MB instead of 32: pages that are
 * read once are not worth holding beside what is made of them.
 */
export const withFewPages = <T>({ sqlite }: Lake, work: () => T): T => {
  const before = required(prepare(sqlite, 'pragma cache_size', 'number').get());
  sqlite.pragma(`cache_size = -${FEW_KIB}`);
  try {
    return work();
  } finally {
    sqlite.pragma(`cache_size = ${before}`);
  }
};
