import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { messageOf } from '../../base/errors.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from '../../lake/migrate.ts';
import { strangeSchema } from '../../lake/strange-schema.ts';

// Child process of backup.ts that checks one file. The check is one SQLite statement, takes minutes in
// a large lake and blocks signals meanwhile.

/** Reason why a file is not a usable lake; undefined if it is. */
const faultOf = (path: string): string | undefined => {
  const hadJournal = existsSync(`${path}-wal`);
  try {
    const sqlite = new Database(path, { readonly: true, fileMustExist: true });
    try {
      if (sqlite.pragma('application_id', { simple: true }) !== APPLICATION_ID)
        return 'it is not a lake';
      const version = sqlite.pragma('user_version', { simple: true }) as number;
      const strange = strangeSchema(sqlite);
      if (strange !== undefined) return strange;
      if (version > SCHEMA_VERSION) return `a newer trendlake wrote it (schema ${version})`;
      const stated = sqlite.pragma('integrity_check(1)', { simple: true });
      return stated === 'ok' ? undefined : `it is damaged (${stated})`;
    } finally {
      sqlite.close();
      // empty files that a reader creates and leaves
      if (!hadJournal)
        for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
  } catch (error) {
    return messageOf(error);
  }
};

const [, , path = ''] = process.argv;
process.stdout.write(JSON.stringify(faultOf(path) ?? null));
