import { chmodSync, closeSync, existsSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { docsPage } from '../installation.ts';

// The data directory is private: it holds key hashes, secrets, calls and pulled data.

export const OWN_FOLDER = 0o700;
export const OWN_FILE = 0o600;
const OTHERS = 0o077;

/** Private files in the data directory. All files in the folders are private too. */
const OWN_NAMES = /^(trendlake\.db|service\.db)/;
const OWN_FOLDERS = ['backups', 'locks'];
/** Known entries of a data directory. Other entries mean that the folder has other uses. */
const KNOWN_NAMES =
  /^(README\.md$|trendlake\.db|service\.db|backups$|locks$|parquet$|sandbox-|former-lake-)/;

/** Creates an empty private file if it is missing; SQLite keeps its mode. Errors are left to SQLite. */
export const makeOwnFile = (path: string): void => {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'a', OWN_FILE));
  } catch {
    // reported when the file is opened
  }
};

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

/** Private entries of a data directory: itself, the databases, backups, locks. */
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
 * Makes the data directory and its databases private. Keeps the mode of a directory with other
 * uses, such as a home, and of files of other users. Safe to run twice.
 * @returns a sentence if something was open; undefined otherwise
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
    : `Other users of this machine could read ${open.length === 1 ? open[0]?.path : `${open.length} files and folders of ${dataDir}`}. Now only you can (mode 700, 600). To let a group read them, see ${docsPage('guides/operating.md')}.`;
};
