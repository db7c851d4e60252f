import type { Config } from '../../base/config/config.ts';
import { backupsUrl } from '../../base/config/setting-readers.ts';
import { UsageError } from '../../base/errors.ts';
import { type Lake, openLake, openLakeForReading } from '../../lake/open.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import { type CliIo, configOf } from './io.ts';

/**
 * Store of `place`, else of TRENDLAKE_BACKUPS_TO; undefined without either.
 * @throws UsageError for an invalid place
 */
export const backupStore = async (
  place: string | undefined,
  { backupsTo }: Pick<Config, 'backupsTo'>,
  io: CliIo,
): Promise<TableStore | undefined> => {
  const parsed = place === undefined ? undefined : backupsUrl(place);
  if (parsed !== undefined && 'expected' in parsed)
    throw new UsageError(`--to must be ${parsed.expected}; it is "${place ?? ''}".`);
  const url = parsed?.value ?? backupsTo;
  if (url === undefined) return undefined;
  const { openStore } = await import('../../output/delta/open-store.ts');
  return openStore(url, io);
};

export const lakeToRead = (io: CliIo): Lake => openLakeForReading(configOf(io).dataDir);

/** Opens the lake for writing; creates a missing one. */
export const lakeToWrite = (io: CliIo): Lake => openLake(configOf(io).dataDir, { report: io.err });

/** Opens the lake for writing. @throws UsageError if there is none */
export const existingLake = (io: CliIo): Lake => {
  lakeToRead(io).close();
  return lakeToWrite(io);
};

/** Runs `work` on the lake and prints the result as JSON or as text. */
export const printFromLake = async <Found>(
  io: CliIo,
  work: (lake: Lake) => Found | Promise<Found>,
  text: (found: Found) => string,
): Promise<void> => {
  using lake = lakeToWrite(io);
  const found = await work(lake);
  io.show(found, () => text(found));
};
