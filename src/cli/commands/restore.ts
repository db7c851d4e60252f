import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { BACKUPS, backupsIn } from '../../base/data-dir/backups.ts';
import { OWN_FOLDER } from '../../base/data-dir/own-files.ts';
import { EXIT, LakeError, messageOf, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import { SERVICE_FILE } from '../../lake/former-lake.ts';
import { openLake } from '../../lake/open.ts';
import { publishIfConfigured } from '../../output/delta/publish-if-configured.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import { exportLake } from '../../output/parquet/export-lake.ts';
import { dropUnfinished } from '../../run/maintenance/backup.ts';
import { unpackBackup } from '../../run/maintenance/packed-backup.ts';
import { type Restored, restoreLake } from '../../run/maintenance/restore.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { backupStore } from '../context/lakes.ts';
import { isConfirmed } from '../context/questions.ts';
import { refuseWhileOpen } from '../context/while-open.ts';
import { counted } from '../text/figures.ts';

const EXAMPLES = `
Examples:
  trendlake restore latest                                    the newest of TRENDLAKE_BACKUPS_TO, else of the data directory
  trendlake restore trendlake-2026-03-01.db --yes             a backup of the data directory
  trendlake restore latest --from s3://bucket/trendlake       on an empty machine, from the bucket alone

The current lake and service.db are kept beside the restored ones. Calls since the backup still count.
Parquet files and published tables are written again, unless --no-export.`;

interface Options {
  readonly export: boolean;
  readonly from?: string;
  readonly yes?: boolean;
}

/** Replaces service.db by an unpacked one. @returns the path of the former one; null without one */
const exchangeService = (dataDir: string, from: string, now: number): string | null => {
  const path = join(dataDir, SERVICE_FILE);
  const setAside = `${path}.before-${isoOf(now).replace(/[:.]/g, '-')}`;
  const exists = existsSync(path);
  if (exists) renameSync(path, setAside); // before its journals, which hold its last commits
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, setAside + suffix);
  renameSync(from, path);
  return exists ? setAside : null;
};

/** File of a backup in the data directory, or any path. */
const localFile = (dataDir: string, name: string, io: CliIo): string => {
  const known = backupsIn(dataDir).find(({ path }) => basename(path) === name);
  return known?.path ?? resolve(io.cwd, name);
};

interface Done extends Restored {
  readonly service: boolean;
  /** Parquet files written; null: not exported. */
  readonly files: number | null;
}

const show = (io: CliIo, document: unknown, done: Done): void => {
  const { from, setAside, service, files } = done;
  const former = setAside === null ? '' : ` The former lake is ${setAside}.`;
  const restoredToo = service ? ' service.db was restored too.' : '';
  const agree =
    files === null
      ? `Run \`${commandText('export --full')}\` so that Parquet files and published tables agree, then start`
      : `${counted(files, 'Parquet file')} were written to agree. Start`;
  io.show(
    document,
    () => `Restored ${from}.${restoredToo}${former} ${agree} \`serve\` and \`schedule\` again.`,
  );
};

const warnOfCalls = (io: CliIo, { callsCarried }: Restored): void => {
  if (callsCarried === null)
    io.err(
      `The calls made since the backup could not be read: the service may count more than \`${commandText('status')}\` says this month.`,
    );
};

/** Rewrites Parquet files and published tables from the restored lake. @returns null if it failed */
const bringInLine = async (io: CliIo): Promise<number | null> => {
  const config = configOf(io);
  const { clock, signal, env, random } = io;
  using lake = openLake(config.dataDir, { report: io.err });
  try {
    const { parquetCodec: codec } = config;
    const { files } = await exportLake(lake, { clock, codec, full: true, here: true, signal });
    await publishIfConfigured(lake, config, { clock, random, signal, env });
    return files;
  } catch (error) {
    io.exitCode = EXIT.partial;
    io.err(`The lake is restored, but not exported: ${messageOf(error)}`);
    return null;
  }
};

interface Chosen {
  /** Undefined: the newest. */
  readonly name: string | undefined;
  readonly store: TableStore | undefined;
  /** Of a backup without a store. */
  readonly file: string | undefined;
}

const replaceLake = async (
  dataDir: string,
  { name, store, file }: Chosen,
  { clock }: CliIo,
): Promise<Omit<Done, 'files'>> => {
  const folder = join(dataDir, BACKUPS);
  try {
    if (store !== undefined) dropUnfinished(dataDir); // a local file may look like a part
    mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
    const unpacked = store && (await unpackBackup(store, name, folder));
    const restored = await restoreLake(dataDir, unpacked?.lake ?? file, clock);
    const service = unpacked?.service;
    if (service !== undefined) exchangeService(dataDir, service, clock.now());
    return { ...restored, service: service !== undefined };
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new LakeError(
        `The backup could not be unpacked in ${folder}: ${error.message}. The lake is unchanged.`,
        { cause: error },
      );
    throw error;
  } finally {
    if (store !== undefined) dropUnfinished(dataDir);
  }
};

/** Restores a backup of the data directory without its export. @param file default: the newest */
export const restoreHere = async (file: string | undefined, io: CliIo): Promise<void> => {
  const { dataDir } = configOf(io);
  refuseWhileOpen(dataDir);
  const path = file === undefined ? undefined : resolve(io.cwd, file);
  const restored = await restoreLake(dataDir, path, io.clock);
  show(io, restored, { ...restored, service: false, files: null });
  warnOfCalls(io, restored);
};

const restore = async (name: string, options: Options, io: CliIo): Promise<void> => {
  const config = configOf(io);
  const { dataDir } = config;
  refuseWhileOpen(dataDir);
  const isLocal = existsSync(localFile(dataDir, name, io));
  using store = isLocal ? undefined : await backupStore(options.from, config, io);
  const latest = name === 'latest';
  const newest = backupsIn(dataDir).at(-1)?.path;
  if (!isLocal && store === undefined && !(latest && newest !== undefined))
    throw new UsageError(
      `There is no backup "${name}" in ${join(dataDir, BACKUPS)}, and TRENDLAKE_BACKUPS_TO is not set. \`${commandText('backups list')}\` shows backups; --from names another place.`,
    );
  const from =
    store === undefined ? name : `${latest ? 'the newest backup' : name} of ${store.url}`;
  const question = `Replace the lake of ${dataDir} by ${from}?`;
  const asked = { question, done: 'restored', toDo: `restore ${from}` };
  if (options.yes !== true && !(await isConfirmed(io, asked)))
    return io.out('Nothing was restored.');
  const file = latest ? newest : localFile(dataDir, name, io);
  const chosen = { name: latest ? undefined : name, store, file };
  const replaced = await withExclusive(dataDir, 'backup', io.clock, () =>
    replaceLake(dataDir, chosen, io),
  );
  const done = { ...replaced, files: options.export ? await bringInLine(io) : null };
  show(io, done, done);
  if (!io.isJson) warnOfCalls(io, done);
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<backup>', 'name or path of a backup, or latest')
    .option('--from <place>', 'folder or s3://bucket/prefix instead of TRENDLAKE_BACKUPS_TO')
    .option('--yes', 'restore without asking')
    .option('--no-export', 'leave Parquet files and published tables as they are')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action((name: string, options: Options) => restore(name, options, io));
};
