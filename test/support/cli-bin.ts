import { join } from 'node:path';

/** The file that runs trendlake, for tests that start it as a process. */
export const BIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'bin.js');
