import { existsSync, rmSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { openDatabase } from '../../lake/database.ts';
import { APPLICATION_ID, SCHEMA_VERSION, strangeSchema } from '../../lake/migrate.ts';

// Child process of backup.ts that checks one file. The check is one SQLite statement, takes minutes in
// a large lake and blocks signals meanwhile.

const faultIn = (path: string): string | undefined => {
  using sqlite = openDatabase(path, { readonly: true, fileMustExist: true });
  if (sqlite.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    return 'it is not a lake';
  const version = sqlite.pragma('user_version', { simple: true }) as number;
  const strange = strangeSchema(sqlite);
  if (strange !== undefined) return strange;
  if (version > SCHEMA_VERSION) return `a newer trendlake wrote it (schema ${version})`;
  const stated = sqlite.pragma('integrity_check(1)', { simple: true });
  return stated === 'ok' ? undefined : `it is damaged (${stated})`;
};

/** Reason why a file is not a usable lake; undefined if it is. */
const faultOf = (path: string): string | undefined => {
  const hadJournal = existsSync(`${path}-wal`);
  try {
    return faultIn(path);
  } catch (error) {
    return messageOf(error);
  } finally {
    // empty files that a reader creates and leaves
    if (!hadJournal) for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  }
};

const [, , path = ''] = process.argv;
process.stdout.write(JSON.stringify(faultOf(path) ?? null));
