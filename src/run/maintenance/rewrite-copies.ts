import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { BACKUPS, REWRITING } from '../../base/data-dir/backups.ts';
import { OWN_FOLDER } from '../../base/data-dir/own-files.ts';
import { messageOf } from '../../base/errors.ts';
import { carryErased, type PersonalSubject } from '../../lake/erased.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import { LAKE_FILE, type Lake, openLake } from '../../lake/open.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import { copiesHolding, mayHold } from './copies-holding.ts';
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
  const copy = openLake(dataDir);
  try {
    copy.sqlite.prepare('attach ? as old').run(lake.path);
    carryErased(copy.sqlite);
    copy.sqlite.exec('detach old');
    await finishErasures(copy, options);
  } finally {
    copy.close();
  }
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
