import { chmodSync, closeSync, existsSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { docsPage } from '../installation.ts';

// What a data directory holds is its user's own: keys' hashes, secrets, calls, what was pulled.

export const OWN_FOLDER = 0o700;
export const OWN_FILE = 0o600;
const OTHERS = 0o077;

/** Files that nobody else needs to read, in the data directory and in the folders named after them. */
const OWN_NAMES = /^(trendlake\.db|service\.db)/;
const OWN_FOLDERS = ['backups', 'locks'];
/** What else a data directory may hold; in a folder with other things trendlake is a guest. */
const KNOWN_NAMES = /^(trendlake\.db|service\.db|backups$|locks$|parquet$|sandbox-|former-lake-)/;

/**
 * Makes an empty file that its user alone may read, where there is none: SQLite keeps its mode. Where
 * none can be made, SQLite fails as well, and says why in its own words.
 */
export const makeOwnFile = (path: string): void => {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'a', OWN_FILE));
  } catch {
    // told by whoever opens it next
  }
};

/** Something of a data directory, and what its mode and owner let others do. */
export interface OpenEntry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly mode: number; // permission bits
  readonly uid: number;
}

const entryOf = (path: string): OpenEntry | undefined => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !(found.isFile() || found.isDirectory())) return undefined;
  return { path, isFolder: found.isDirectory(), mode: found.mode & 0o777, uid: found.uid };
};

/** What should be its user's own in a data directory: itself, the databases, backups, locks. */
export const ownEntries = (dataDir: string): OpenEntry[] => {
  if (!existsSync(dataDir)) return [];
  const names = readdirSync(dataDir);
  const folders = OWN_FOLDERS.filter((name) => names.includes(name)).map((name) =>
    join(dataDir, name),
  );
  const paths = [
    dataDir,
    ...names.filter((name) => OWN_NAMES.test(name)).map((name) => join(dataDir, name)),
    ...folders,
    ...folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))),
  ];
  return paths.map(entryOf).filter((entry) => entry !== undefined);
};

/**
 * Takes from others what they may do with a data directory and the databases in it. A directory that
 * holds other things as well (somebody's home) stays as it is, the files in it do not; so does what
 * another user owns. Safe to run twice.
 * @returns a sentence where something was open; undefined where nothing was
 */
export const closeToOthers = (dataDir: string): string | undefined => {
  const user = process.getuid?.();
  const isOurs = readdirSync(dataDir).every((name) => KNOWN_NAMES.test(name));
  const open = ownEntries(dataDir).filter(
    ({ path, mode, uid }) => (mode & OTHERS) !== 0 && uid === user && (path !== dataDir || isOurs),
  );
  for (const { path, isFolder } of open) chmodSync(path, isFolder ? OWN_FOLDER : OWN_FILE);
  return open.length === 0
    ? undefined
    : `Other users of this machine could read ${open.length === 1 ? open[0]?.path : `${open.length} files and folders of ${dataDir}`}; now only you can (mode 700, 600). To let a group read them, see ${docsPage('guides/operating.md')}.`;
};
