import { existsSync, lstatSync, mkdirSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Whether nobody but `user` and root can put another folder in the place of this one, or of one above.
 *
 * @param {string} folder
 * @param {number} user
 * @returns {boolean}
 */
const isOnOwnGround = (folder, user) => {
  const { mode, uid } = lstatSync(folder);
  const isOthers = uid !== user && uid !== 0;
  if (isOthers || ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0)) return false;
  return folder === dirname(folder) || isOnOwnGround(dirname(folder), user);
};

/** More links in one path are a loop. */
const MOST_LINKS = 40;

/**
 * A path without symbolic links, also where it does not exist yet.
 *
 * @param {string} path
 * @param {number | undefined} user
 * @param {{ left: number }} links
 * @returns {string}
 * @throws Error for a link of another user, who can point it elsewhere at any time
 */
const resolved = (path, user, links = { left: MOST_LINKS }) => {
  if (path === dirname(path)) return path;
  const here = join(resolved(dirname(path), user, links), basename(path));
  const entry = lstatSync(here, { throwIfNoEntry: false });
  if (entry?.isSymbolicLink() !== true) return here;
  const isOthers = user !== undefined && entry.uid !== user && entry.uid !== 0;
  links.left -= 1;
  if (isOthers || links.left < 0) throw new Error(`${here} is not followed`);
  return resolved(resolve(dirname(here), readlinkSync(here)), user, links);
};

/**
 * @param {string} path without symbolic links
 * @returns {string}
 */
const nearestExisting = (path) => (existsSync(path) ? path : nearestExisting(dirname(path)));

/**
 * Makes a folder and those above it, one by one: `mkdirSync` with `recursive` never returns where a
 * folder takes none inside it, such as /proc.
 *
 * @param {string} folder
 */
const makeFolders = (folder) => {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
};

/**
 * The folder that compiled code is kept in: the user's own, mode 0700, made where it is missing. What
 * lies there is run, so that a folder another user could have made, filled or could exchange is none.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} undefined where nothing is to be kept
 */
export const compileCacheFolder = (env) => {
  const given = env.XDG_CACHE_HOME ?? '';
  const user = process.getuid?.();
  try {
    const caches = isAbsolute(given) ? given : join(homedir(), '.cache'); // throws where nobody has one
    const folder = join(resolved(join(caches, 'trendlake'), user), 'compiled');
    const ground = nearestExisting(dirname(folder));
    if (user !== undefined && !isOnOwnGround(ground, user)) return undefined;
    makeFolders(folder);
    const itself = lstatSync(folder);
    if (!itself.isDirectory()) return undefined;
    if (user === undefined) return folder; // Windows: what is a user's own is so by its place
    const isOwn = itself.uid === user && (itself.mode & OPEN_TO_OTHERS) === 0;
    return isOwn && isOnOwnGround(folder, user) ? folder : undefined;
  } catch {
    return undefined;
  }
};
