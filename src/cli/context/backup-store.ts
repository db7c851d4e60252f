import type { Config } from '../../base/config/config.ts';
import { backupsUrl } from '../../base/config/setting-readers.ts';
import { UsageError } from '../../base/errors.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import type { CliIo } from './io.ts';

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
