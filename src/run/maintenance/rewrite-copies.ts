import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type Database from 'better-sqlite3';
import type { Clock } from '../../base/clock.ts';
import { BACKUPS, backupsIn, REWRITING } from '../../base/data-dir/backups.ts';
import { OWN_FOLDER } from '../../base/data-dir/own-files.ts';
import { messageOf } from '../../base/errors.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { openDatabase } from '../../lake/database.ts';
import { carryErased, type PersonalSubject } from '../../lake/erased.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import { LAKE_FILE, type Lake, openLake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import type { EraseOptions } from './erase-texts.ts';
import { finishErasures } from './forget.ts';
import {
  FOLDER_OF_BACKUPS,
  type PackedBackup,
  packedBackups,
  removePacked,
  unpackBackup,
  uploadBackup,
} from './packed-backup.ts';
import { copyDatabase, syncToDisk } from './restore.ts';

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
const mayHold = (path: string, subjects: readonly PersonalSubject[]): boolean => {
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

/** Copies of a lake that may hold subjects: paths in the data directory, addresses in a store. */
export interface Copies {
  readonly local: readonly string[];
  readonly packed: readonly PackedBackup[];
}

export const namesOfCopies = (
  { local, packed }: Copies,
  store: TableStore | undefined,
): string[] => [
  ...local,
  ...packed.map(({ name }) => `${store?.url ?? ''}/${FOLDER_OF_BACKUPS}/${name}`),
];

/** Runs `work` with an empty folder in `backups`. The next backup removes what a killed one left. */
const inFolder = async <T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = join(dataDir, BACKUPS, REWRITING);
  const empty = (): void => rmSync(folder, { recursive: true, force: true });
  empty();
  mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
  try {
    return await work(folder);
  } finally {
    empty();
  }
};

/**
 * Copies that may hold subjects. Backups in a folder are unpacked and searched. Backups in a bucket are
 * all named, because searching means downloading them.
 */
export const findCopies = async (
  { dataDir }: Lake,
  { store, clock }: { store: TableStore | undefined; clock: Clock },
  subjects: readonly PersonalSubject[],
): Promise<Copies> => {
  const local = copiesHolding(dataDir, subjects);
  if (store === undefined) return { local, packed: [] };
  const all = await packedBackups(store);
  if (store.url.startsWith('s3:') || all.length === 0) return { local, packed: all };
  return withExclusive(dataDir, 'backup', clock, async () => {
    const packed: PackedBackup[] = [];
    for (const backup of all)
      await inFolder(dataDir, async (folder) => {
        const unpacked = await unpackBackup(store, backup.name, folder).catch(() => undefined);
        if (unpacked === undefined || mayHold(unpacked.lake, subjects)) packed.push(backup);
      });
    return { local, packed };
  });
};

const eraseFrom = async (dataDir: string, lake: Lake, options: EraseOptions): Promise<void> => {
  using copy = openLake(dataDir);
  copy.sqlite.prepare('attach ? as old').run(lake.path);
  carryErased(copy.sqlite);
  copy.sqlite.exec('detach old');
  await finishErasures(copy, options);
};

/** Erases from a copy of a lake what was erased from `lake`. @returns the path of the result */
const rewriteCopy = async (
  lake: Lake,
  { from, folder }: { from: string; folder: string },
  options: EraseOptions,
): Promise<string> => {
  const dataDir = join(folder, 'lake');
  mkdirSync(dataDir, { mode: OWN_FOLDER });
  const path = join(dataDir, LAKE_FILE);
  copyDatabase(from, path);
  await eraseFrom(dataDir, lake, options);
  syncToDisk(path);
  return path;
};

/** The name of a rewritten backup: a new one, so that one of the two is whole at any moment. */
const nextName = (name: string): string => {
  const [, made = name, count = '0'] = /^(.*Z)(?:-(\d+))?$/.exec(name) ?? [];
  return `${made}-${Number(count) + 1}`;
};

/** A copy that could not be rewritten. */
interface FailedCopy {
  readonly name: string;
  readonly problem: string;
}

/**
 * Rewrites copies without what was erased from a lake. Safe to repeat after a kill.
 * @returns copies that stay as they are, such as damaged ones
 */
export const rewriteCopies = (
  lake: Lake,
  { local, packed, store }: Copies & { readonly store: TableStore | undefined },
  options: EraseOptions & { readonly signal: AbortSignal },
): Promise<FailedCopy[]> =>
  withExclusive(lake.dataDir, 'backup', options.clock, async () => {
    const failed: FailedCopy[] = [];
    const rewrite = async (name: string, work: (folder: string) => Promise<void>) => {
      try {
        await inFolder(lake.dataDir, work);
      } catch (error) {
        options.signal.throwIfAborted();
        failed.push({ name, problem: messageOf(error) });
      }
    };
    for (const name of local)
      await rewrite(name, async (folder) => {
        const from = join(lake.dataDir, name);
        renameSync(await rewriteCopy(lake, { from, folder }, options), from);
        for (const suffix of ['-wal', '-shm']) rmSync(from + suffix, { force: true });
      });
    if (store === undefined) return failed;
    for (const backup of packed) {
      const [named = ''] = namesOfCopies({ local: [], packed: [backup] }, store);
      await rewrite(named, async (folder) => {
        const { name, madeAt, lakeId } = backup;
        const unpacked = await unpackBackup(store, name, folder);
        const path = await rewriteCopy(lake, { from: unpacked.lake, folder }, options);
        const files = { name: nextName(name), madeAt, lakeId, lake: path };
        await uploadBackup(store, { ...files, service: unpacked.service }, options.signal);
        await removePacked(store, name);
      });
    }
    return failed;
  });
