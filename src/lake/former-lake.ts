import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { BACKUPS, backupsIn } from '../base/data-dir/backups.ts';
import { OWN_FOLDER } from '../base/data-dir/own-files.ts';
import { LakeError } from '../base/errors.ts';
import { commandText } from '../base/installation.ts';
import { prepare } from './prepare.ts';

// A data directory whose trendlake.db is gone, but which still holds files that belonged to it. An empty
// lake in its place would count the month's calls from zero and export over the old Parquet files.

/** File name of the service's own database: keys and the calls they spent. */
export const SERVICE_FILE = 'service.db';

/** `user_version` of a service database that was opened beside a lake. */
export const BESIDE_A_LAKE = 1;

/** True unless the service database can only have been made before any lake, by `keys create`. */
const servedALake = (path: string): boolean => {
  try {
    const sqlite = new Database(path, { readonly: true, fileMustExist: true });
    try {
      if (sqlite.pragma('user_version', { simple: true }) === BESIDE_A_LAKE) return true;
      const used = `select exists (select 1 from key_route_day) or exists (select 1 from webhook_secret)`;
      return prepare(sqlite, used, 'number').get() === 1;
    } finally {
      sqlite.close();
    }
  } catch {
    return true; // damaged, or of version 0.1.0: it was not made a moment ago
  }
};

/** Names of remains of a lake in a data directory without one. */
const remainsOf = (dataDir: string): string[] => {
  const backups = backupsIn(dataDir).length;
  const service = join(dataDir, SERVICE_FILE);
  return [
    ...(backups > 0 ? [`${backups} ${backups === 1 ? 'backup' : 'backups'}`] : []),
    ...(existsSync(join(dataDir, 'parquet', 'manifest.json')) ? ['Parquet files'] : []),
    ...(existsSync(service) && servedALake(service) ? [SERVICE_FILE] : []),
  ];
};

/**
 * Refuses to start an empty lake at `path` where another one lived.
 * @throws LakeError with the remains, the newest backup and what to do
 */
export const refuseFormerLake = (dataDir: string, path: string): void => {
  const remains = remainsOf(dataDir);
  if (remains.length === 0) return;
  const newest = backupsIn(dataDir).at(-1)?.path;
  const restore =
    newest === undefined
      ? 'If you have a copy of the lake, put it there.'
      : `\`${commandText('doctor --restore')}\` restores the newest backup, ${newest}.`;
  throw new LakeError(
    `${path} is missing, but ${dataDir} holds ${remains.join(', ')} of a lake. Nothing was changed: an empty lake would forget its history and the calls it counted. ${restore} To start an empty lake instead, add --new-lake.`,
  );
};

/** The first folder name `former-lake-<n>` that is free. */
const freeFolder = (dataDir: string): string => {
  for (let n = 1; ; n++) {
    const folder = join(dataDir, `former-lake-${n}`);
    if (!existsSync(folder)) return folder;
  }
};

/**
 * Makes room for a new lake: backups and Parquet files of the former one move into a folder
 * `former-lake-<n>`. The keys of the service stay.
 * @returns the folder; undefined if there was nothing to move
 */
export const setFormerLakeAside = (dataDir: string): string | undefined => {
  const names = [BACKUPS, 'parquet'].filter((name) => existsSync(join(dataDir, name)));
  if (names.length === 0) return undefined;
  const folder = freeFolder(dataDir);
  mkdirSync(folder, { mode: OWN_FOLDER });
  for (const name of names) renameSync(join(dataDir, name), join(folder, name));
  return folder;
};
