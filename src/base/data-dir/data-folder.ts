import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf, UsageError } from '../errors.ts';
import { OWN_FOLDER } from './own-files.ts';

/**
 * Makes a folder, its user's own, and those above it that are missing, one by one: `mkdirSync` with
 * `recursive` never returns where a folder exists that takes none inside it, such as /proc.
 */
const makeFolders = (path: string): void => {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing)
    try {
      mkdirSync(folder, folder === resolve(path) ? { mode: OWN_FOLDER } : {});
    } catch (error) {
      if (!existsSync(folder)) throw error; // otherwise another process was faster
    }
};

const whyNot = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'it is a file';
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return 'it is not writable';
  if (code === 'ENOENT') return 'no folder can be made there';
  return messageOf(error);
};

/**
 * Sees to it that the data directory is a folder that can be written to, making it where missing.
 * @throws UsageError when it cannot be one
 */
export const prepareDataFolder = (dataDir: string): void => {
  try {
    makeFolders(dataDir);
    if (!statSync(dataDir).isDirectory()) throw new Error('it is a file');
    accessSync(dataDir, constants.W_OK | constants.R_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      `The data directory ${dataDir} cannot be used: ${whyNot(error)}. Expected a folder trendlake can write to; set TRENDLAKE_DATA_DIR to one.`,
    );
  }
};
