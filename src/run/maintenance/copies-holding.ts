import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type Database from 'better-sqlite3';
import { backupsIn } from '../../base/data-dir/backups.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { openDatabase } from '../../lake/database.ts';
import type { PersonalSubject } from '../../lake/erased.ts';
import { LAKE_FILE } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';

/** Lakes that were set aside by a restore, a migration or a new start. */
const lakesAside = (dataDir: string): string[] => {
  const names = readdirSync(dataDir);
  const former = names.filter((name) => name.startsWith('former-lake-'));
  return [
    ...names.filter(
      (name) => /^trendlake\.db\.(before-[\w-]+|v\d+)$/.test(name) && !/-(wal|shm)$/.test(name),
    ),
    ...former.map((name) => join(name, LAKE_FILE)),
  ]
    .map((name) => join(dataDir, name))
    .concat(former.flatMap((name) => backupsIn(join(dataDir, name)).map(({ path }) => path)))
    .filter((path) => existsSync(path));
};

const holds = (sqlite: Database.Database, subject: PersonalSubject): boolean => {
  if (subject.kind === 'video')
    return (
      prepare(sqlite, 'select 1 from video where id = ?', 'number').get(subject.id) !== undefined
    );
  const spelled = `in (${spellingsOf('@folded')})`;
  return (
    prepare(
      sqlite,
      `select 1 from video where platform = @platform and user ${spelled}
       union all select 1 from creator where platform = @platform and handle ${spelled}
       union all select 1 from video_revision r join video v on v.key = r.video_key
         where v.platform = @platform and r.user ${spelled} limit 1`,
      'number',
    ).get({ platform: subject.platform, folded: foldHandle(subject.handle) }) !== undefined
  );
};

/** True unless a copy of a lake certainly lacks all subjects. */
export const mayHold = (path: string, subjects: readonly PersonalSubject[]): boolean => {
  try {
    using sqlite = openDatabase(path, { readonly: true, fileMustExist: true });
    return subjects.some((subject) => holds(sqlite, subject));
  } catch {
    return true; // damaged, or packed
  }
};

/** Copies of a lake in its data directory that may hold a subject, as paths in the data directory. */
export const copiesHolding = (dataDir: string, subjects: readonly PersonalSubject[]): string[] =>
  [...backupsIn(dataDir).map(({ path }) => path), ...lakesAside(dataDir)]
    .filter((path) => mayHold(path, subjects))
    .map((path) => relative(dataDir, path));
