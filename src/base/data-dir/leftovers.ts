import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { commandText } from '../installation.ts';

/** Names under which a lake, a copy before a migration or a restored backup grows, with its journals. */
const GROWING = /^trendlake\.db(\.v\d+)?\.new-[0-9a-f]+(-wal|-shm|-journal)?$/;

/** Name of a backup that is about to take the place of the lake at `path`. */
export const restoredName = (path: string): string => `${path}.restored`;

/**
 * Files of a data directory that grow, or that a process left which died while they grew. So is a
 * backup ready to take the place of a lake that still stands: restoring rebuilds it.
 */
export const leftoversIn = (dataDir: string, lakeFile: string): string[] => {
  const names = readdirSync(dataDir);
  const restored = restoredName(lakeFile);
  return names.filter(
    (name) => GROWING.test(name) || (name === restored && names.includes(lakeFile)),
  );
};

/** Removes them. Call it under the lock that whoever makes them holds: then nobody does. */
export const removeLeftovers = (dataDir: string, lakeFile: string): void => {
  for (const name of leftoversIn(dataDir, lakeFile)) rmSync(join(dataDir, name), { force: true });
};

/**
 * Refuses to start an empty lake where parts of another lie. An empty journal is no part: it holds
 * no commit.
 * @throws UsageError saying which, and what to do
 */
export const refuseRemains = (path: string): void => {
  if (existsSync(restoredName(path)))
    throw new UsageError(
      `A restore was cut off before ${basename(path)} was in its place. Run \`${commandText('doctor --restore')}\` again; nothing is lost.`,
    );
  const journal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (journal !== undefined && journal.size > 0)
    throw new UsageError(
      `${path}-wal lies there without its database. It may hold the last commits of a lake that was moved away: move it beside that one, under its name, or remove it to start a new lake.`,
    );
};
