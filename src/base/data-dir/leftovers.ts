import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { commandText } from '../installation.ts';

/** Unfinished lakes, copies before a migration and restored backups, with their journals. */
const GROWING = /^trendlake\.db(\.v\d+)?\.new-[0-9a-f]+(-wal|-shm|-journal)?$/;

/** Path of a restored backup before it replaces the lake at `path`. */
export const restoredName = (path: string): string => `${path}.restored`;

/**
 * Unfinished files of a data directory, in use or left by a dead process. A restored backup beside
 * a lake is one too, because restoring creates it again.
 */
export const leftoversIn = (dataDir: string, lakeFile: string): string[] => {
  const names = readdirSync(dataDir);
  const restored = restoredName(lakeFile);
  return names.filter(
    (name) => GROWING.test(name) || (name === restored && names.includes(lakeFile)),
  );
};

/** Call it under the lock of the processes that create leftovers. */
export const removeLeftovers = (dataDir: string, lakeFile: string): void => {
  for (const name of leftoversIn(dataDir, lakeFile)) rmSync(join(dataDir, name), { force: true });
};

/**
 * Refuses to create an empty lake beside parts of another one. An empty journal holds no commits
 * and is ignored.
 * @throws UsageError
 */
export const refuseRemains = (path: string): void => {
  if (existsSync(restoredName(path)))
    throw new UsageError(
      `A restore was interrupted before ${basename(path)} was in place. No data is lost. Run \`${commandText('doctor --restore')}\` again.`,
    );
  const journal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (journal !== undefined && journal.size > 0)
    throw new UsageError(
      `${path}-wal exists without its database. It may hold the last commits of a lake that was moved. Move it next to that lake, with the same name, or remove it to start a new lake.`,
    );
};
