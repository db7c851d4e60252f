import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf, UsageError } from '../errors.ts';
import { OWN_FOLDER } from './own-files.ts';

/**
 * Creates a private folder and its missing parents one by one: `mkdirSync` with `recursive` never
 * returns inside folders such as /proc.
 */
const makeFolders = (path: string): void => {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing)
    try {
      mkdirSync(folder, folder === resolve(path) ? { mode: OWN_FOLDER } : {});
    } catch (error) {
      if (!existsSync(folder)) throw error; // another process created it
    }
};

const reasonOf = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'it is a file';
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return 'it is not writable';
  if (code === 'ENOENT') return 'no folder can be created there';
  return messageOf(error);
};

/**
 * Creates the data directory if needed and checks that it is writable.
 * @throws UsageError when it is not
 */
export const prepareDataFolder = (dataDir: string): void => {
  try {
    makeFolders(dataDir);
    if (!statSync(dataDir).isDirectory()) throw new Error('it is a file');
    accessSync(dataDir, constants.W_OK | constants.R_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      `The data directory ${dataDir} cannot be used: ${reasonOf(error)}. Set TRENDLAKE_DATA_DIR to a folder that trendlake can write to.`,
    );
  }
};
