import type { Lake } from './open.ts';
import { statement } from './statements.ts';

/**
 * Reads one state of the lake, whatever another process commits meanwhile, and saves each statement
 * its own locks. What `read` does after it first waits for something is no longer part of it.
 */
export const oneReading = <T>(lake: Lake, read: () => T): T => {
  if (lake.sqlite.inTransaction) return read();
  statement(lake, 'begin').run();
  try {
    return read();
  } finally {
    if (lake.sqlite.inTransaction) statement(lake, 'commit').run();
  }
};
