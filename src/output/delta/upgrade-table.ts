import { createHash } from 'node:crypto';
import type PQueue from 'p-queue';
import { type BringDeps, bringIn } from './bring-in.ts';
import { withUnnamedFile } from './dated-file.ts';
import type { AddFile } from './delta-actions.ts';
import { DeltaLog } from './delta-log.ts';
import { TablesError } from './errors.ts';
import { daysFiles, type FileSource, isSettled, type PublishedFile } from './published-file.ts';
import { datedMetaData, isDatePartitioned } from './table-schema.ts';
import type { OpenFile } from './table-store.ts';

const PART_BYTES = 16 << 20;
/** `lake=<name>/date=<day>/<sha256>.parquet` */
const OLD_PATH = /^lake=([^/]+)\/date=(\d{4}-\d\d-\d\d)\/([0-9a-f]{64})\.parquet$/;

/** Dependencies of an upgrade. */
export interface UpgradeDeps extends Omit<BringDeps, 'lake'> {
  readonly signal: AbortSignal;
  /** Queue of uploads, shared by all tables. */
  readonly uploads: PQueue;
}

/** A file of the table as a part of a new one: fetched when it is read. */
const storedSource = (
  { store, table, place }: UpgradeDeps,
  { path, size }: AddFile,
  { date, sha256 }: { date: string; sha256: string },
): FileSource => {
  const damaged = (what: string): TablesError =>
    new TablesError(
      `The table ${store.url}/${table} cannot be brought to the present form: ${path} ${what}. Nothing was changed. Put that file back from the store's versions, or move the table's folder away and publish again.`,
    );
  const fetch = async (write: (bytes: Buffer) => void): Promise<void> => {
    const hash = createHash('sha256');
    for (let from = 0; from < size; from += PART_BYTES) {
      const range = { from, bytes: Math.min(PART_BYTES, size - from) };
      const bytes = await store.read(`${table}/${path}`, range);
      if (bytes === undefined) throw damaged('is missing');
      hash.update(bytes);
      write(bytes);
    }
    if (hash.digest('hex') !== sha256) throw damaged('is not what its name says');
  };
  const withFile = <T>(work: (open: OpenFile) => Promise<T>): Promise<T> =>
    withUnnamedFile(place.folder, fetch, (open) => work({ ...open, path }));
  return { date, sha256, withFile };
};

/** The files that take the place of those of a table partitioned by `date`, by lake. */
const replacements = (deps: UpgradeDeps, log: DeltaLog): Map<PublishedFile, string> => {
  const byLake = new Map<string, FileSource[]>();
  for (const add of log.files.values()) {
    const [, lake, date, sha256] = OLD_PATH.exec(add.path) ?? [];
    if (lake === undefined || date === undefined || sha256 === undefined)
      throw new TablesError(
        `The table ${deps.store.url}/${deps.table} names ${add.path}, which no trendlake published. It was left as it is: set TRENDLAKE_TABLES_URL to another address.`,
      );
    const source = storedSource(deps, add, { date, sha256 });
    byLake.set(lake, [...(byLake.get(lake) ?? []), source]);
  }
  const now = deps.clock.now();
  const files = new Map<PublishedFile, string>();
  for (const [lake, days] of byLake)
    for (const file of daysFiles(lake, days, (month) => isSettled(month, now)))
      files.set(file, lake);
  return files;
};

/**
 * Gives a table that is partitioned by `date` its present form, for all lakes at once: files with the
 * column `date`, one for each settled month. One commit, which changes no row. Where another commit
 * comes first nothing is changed: call it again.
 * @throws TablesError when a file of the table is missing or damaged
 */
export const upgradeTable = async (deps: UpgradeDeps): Promise<void> => {
  const { store, table, clock, signal } = deps;
  const log = new DeltaLog(store, table);
  await log.refresh();
  if (log.metaData === undefined || !isDatePartitioned(log.metaData)) return;
  const failed = new AbortController();
  const bringing = [...replacements(deps, log)].map(([file, lake]) =>
    deps.uploads
      .add(() => {
        AbortSignal.any([signal, failed.signal]).throwIfAborted();
        return bringIn({ ...deps, lake }, file);
      })
      .catch((error: unknown) => {
        failed.abort(error); // nothing else is begun, and what is under way ends
        throw error;
      }),
  );
  await Promise.allSettled(bringing);
  failed.signal.throwIfAborted();
  const brought = await Promise.all(bringing);
  const at = Math.floor(clock.now());
  const removals = [...log.files.values()].map(({ path, partitionValues, size }) => ({
    path,
    deletionTimestamp: at,
    dataChange: false,
    extendedFileMetadata: true,
    partitionValues,
    size,
  }));
  const operation = { operation: 'OPTIMIZE', operationParameters: {}, isBlindAppend: false };
  await log.commit([
    { commitInfo: { timestamp: at, ...operation, engineInfo: 'trendlake' } },
    { metaData: datedMetaData(log.metaData, table) },
    ...removals.map((remove) => ({ remove })),
    ...brought.map(({ add }) => ({ add: { ...add, dataChange: false } })),
  ]);
};
