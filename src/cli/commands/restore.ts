import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { BACKUPS, backupsIn } from '../../base/data-dir/backups.ts';
import { OWN_FOLDER } from '../../base/data-dir/own-files.ts';
import { LakeError, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import { living } from '../../lake/exclusive.ts';
import { SERVICE_FILE } from '../../lake/former-lake.ts';
import { type Restored, restoreLake } from '../../run/maintenance/restore.ts';
import { type UnpackedBackup, unpackBackup } from '../../run/maintenance/unpack-backup.ts';
import { DAEMON, SERVING } from '../../run/schedule/daemon.ts';
import { backupStore } from '../context/backup-store.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { Questions } from '../context/questions.ts';

const EXAMPLES = `
Examples:
  trendlake restore latest                                    the newest of TRENDLAKE_BACKUPS_TO, else of the data directory
  trendlake restore trendlake-2026-03-01.db --yes             a backup of the data directory
  trendlake restore latest --from s3://bucket/trendlake       on an empty machine, from the bucket alone

The current lake and service.db are kept beside the restored ones. Calls since the backup still count.`;

interface Options {
  readonly from?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** @throws UsageError naming a running daemon or service */
const refuseWhileOpen = (dataDir: string): void => {
  for (const name of [DAEMON, SERVING]) {
    const [holder] = living(dataDir, name);
    if (holder !== undefined)
      throw new UsageError(
        `${name} has the lake of ${dataDir} open (${holder.holder}, since ${isoOf(holder.since)}). Stop it, then restore.`,
      );
  }
};

/** @throws UsageError if nobody can answer */
const isConfirmed = async (io: CliIo, dataDir: string, from: string): Promise<boolean> => {
  if (io.input?.isTTY !== true)
    throw new UsageError(
      `Nothing was restored: it needs your confirmation and stdin is not a terminal. Add --yes to restore ${from}.`,
    );
  const questions = new Questions(io);
  try {
    return /^y/i.test(await questions.ask(`Replace the lake of ${dataDir} by ${from}? [y/N]`));
  } finally {
    questions.close();
  }
};

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

const show = (io: CliIo, restored: Restored & { readonly service: boolean }): void => {
  const former = restored.setAside === null ? '' : ` The former lake is ${restored.setAside}.`;
  const service = restored.service ? ' service.db was restored too.' : '';
  io.out(
    `Restored ${restored.from}.${service}${former} Run \`${commandText('export --full')}\` so that Parquet files and published tables agree, then start \`serve\` and \`schedule\` again.`,
  );
  if (restored.callsCarried === null)
    io.err(
      `The calls made since the backup could not be read: the service may count more than \`${commandText('status')}\` says this month.`,
    );
};

const restore = async (name: string, options: Options, io: CliIo): Promise<void> => {
  const config = configOf(io);
  const { dataDir } = config;
  refuseWhileOpen(dataDir);
  const isLocal = existsSync(localFile(dataDir, name, io));
  const store = isLocal ? undefined : await backupStore(options.from, config, io);
  const latest = name === 'latest';
  const newest = backupsIn(dataDir).at(-1)?.path;
  if (!isLocal && store === undefined && !(latest && newest !== undefined))
    throw new UsageError(
      `There is no backup "${name}" in ${join(dataDir, BACKUPS)}, and TRENDLAKE_BACKUPS_TO is not set. \`${commandText('backups list')}\` shows backups; --from names another place.`,
    );
  const from =
    store === undefined ? name : `${latest ? 'the newest backup' : name} of ${store.url}`;
  if (options.yes !== true && !(await isConfirmed(io, dataDir, from)))
    return io.out('Nothing was restored.');
  let unpacked: UnpackedBackup | undefined;
  try {
    if (store !== undefined) {
      mkdirSync(join(dataDir, BACKUPS), { recursive: true, mode: OWN_FOLDER });
      unpacked = await unpackBackup(store, latest ? undefined : name, join(dataDir, BACKUPS));
    }
    const file = unpacked?.lake ?? (latest ? newest : localFile(dataDir, name, io));
    const restored = await restoreLake(dataDir, file, io.clock);
    const service = unpacked?.service;
    if (service !== undefined) exchangeService(dataDir, service, io.clock.now());
    const done = { ...restored, service: service !== undefined };
    if (options.json === true) return io.json(done);
    show(io, done);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new LakeError(
        `The backup could not be unpacked in ${join(dataDir, BACKUPS)}: ${error.message}. The lake is unchanged.`,
        { cause: error },
      );
    throw error;
  } finally {
    for (const path of [unpacked?.lake, unpacked?.service])
      if (path !== undefined) rmSync(path, { force: true });
    store?.close();
  }
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<backup>', 'name or path of a backup, or latest')
    .option('--from <place>', 'folder or s3://bucket/prefix instead of TRENDLAKE_BACKUPS_TO')
    .option('--yes', 'restore without asking')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action((name: string, options: Options) => restore(name, options, io));
};
