import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A copy of the lake in `<data dir>/backups`. */
export interface Backup {
  path: string;
  bytes: number;
}

export const BACKUPS = 'backups';
/** Folder in `backups` in which copies are rewritten. */
export const REWRITING = 'rewriting';

const NAME = /^trendlake-\d{4}-\d\d-\d\d\.db$/;

/** Oldest first. */
export const backupsIn = (dataDir: string): Backup[] => {
  const folder = join(dataDir, BACKUPS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => join(folder, name))
    .map((path) => ({ path, bytes: statSync(path).size }));
};
