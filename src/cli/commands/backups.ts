import { basename } from 'node:path';
import type { Command } from 'commander';
import { backupsIn } from '../../base/data-dir/backups.ts';
import { commandText } from '../../base/installation.ts';
import { packedBackups } from '../../run/maintenance/packed-backup.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { backupStore } from '../context/lakes.ts';
import { mebibytes } from '../text/figures.ts';

const EXAMPLES = `
Examples:
  trendlake backups list
  trendlake backups list --from s3://bucket/trendlake --json`;

const list = async (from: string | undefined, io: CliIo): Promise<void> => {
  const config = configOf(io);
  const local = backupsIn(config.dataDir).map(({ path, bytes }) => {
    const name = basename(path);
    return { name, madeAt: name.slice('trendlake-'.length, -'.db'.length), bytes, place: path };
  });
  using store = await backupStore(from, config, io);
  const packed =
    store === undefined
      ? []
      : (await packedBackups(store)).map((backup) => ({ ...backup, place: store.url }));
  const all = [...local, ...packed];
  io.show(all, () =>
    io.tableOf(
      all,
      {
        backup: ({ name }) => name,
        made: ({ madeAt }) => madeAt,
        size: ({ bytes }) => mebibytes(bytes),
        place: ({ place }) => place,
      },
      { figures: ['size'], empty: `No backup yet. Make one with \`${commandText('backup')}\`.` },
    ),
  );
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', EXAMPLES);
  command
    .command('list')
    .description('list backups of the data directory and of TRENDLAKE_BACKUPS_TO')
    .option('--from <place>', 'folder or s3://bucket/prefix instead of TRENDLAKE_BACKUPS_TO')
    .option('--json', 'an array: name, madeAt, bytes, place')
    .action(({ from }: { from?: string }) => list(from, io));
};
