import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { backupLake } from '../../run/maintenance/backup.ts';
import { packBackup } from '../../run/maintenance/pack-backup.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { backupStore, existingLake, lakeToRead, lakeToWrite } from '../context/lakes.ts';
import { mebibytes } from '../text/figures.ts';

const EXAMPLES = `
Examples:
  trendlake backup                                copy the lake to <data dir>/backups, checked
  trendlake backup --to /mnt/backups              also service.db, compressed, in a folder
  trendlake backup --to s3://bucket/trendlake     the same in a bucket

Without --to, TRENDLAKE_BACKUPS_TO names the place. There the newest of 7 days, 4 weeks and 12 months
are kept, in the data directory the newest seven. See ${docsPage('guides/backups.md')}.`;

/** Copies the lake into the backups of its data directory. */
export const backupHere = async (io: CliIo): Promise<void> => {
  const { clock, signal } = io;
  using lake = existingLake(io);
  const backup = await backupLake(lake, { clock, signal });
  io.show(backup, () => `Backup ${backup.path} (${mebibytes(backup.bytes)}), checked.`);
};

const run = async (to: string | undefined, io: CliIo): Promise<void> => {
  lakeToRead(io).close(); // never creates a lake
  using store = await backupStore(to, configOf(io), io);
  if (store === undefined) {
    await backupHere(io);
    if (!io.isJson)
      io.note(
        `It lies on the same disk. ${commandText('backup --to FOLDER')} also keeps service.db and puts both elsewhere.`,
      );
    return;
  }
  const { clock, signal } = io;
  using lake = lakeToWrite(io);
  const backup = await packBackup(lake, store, { clock, signal });
  const old = backup.removed === 0 ? '' : ` ${backup.removed} older ones were removed.`;
  io.show(
    backup,
    () => `Backup ${backup.name} (${mebibytes(backup.bytes)}) in ${backup.url}, checked.${old}`,
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--to <place>', 'folder or s3://bucket/prefix')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(({ to }: { to?: string }) => {
      if (to === '') throw new UsageError('--to must be a folder or s3://bucket/prefix.');
      return run(to, io);
    });
};
