import { commandText } from '../../base/installation.ts';
import type { DeltaLog } from './delta-log.ts';
import { TablesError } from './errors.ts';
import { isOurs, PROTOCOL, publisherOf } from './table-schema.ts';

/** Lake and place of a publication. */
interface Wish {
  /** Of the table. */
  readonly url: string;
  readonly lake: string;
  readonly lakeId: string;
  /** Take the place of another lake of this name. */
  readonly replace: boolean;
}

/** Refuses a table that trendlake may not read or write. @throws TablesError with the reason */
export const refuseForeignTable = (log: DeltaLog, url: string): void => {
  const { protocol, metaData } = log;
  if (log.version < 0) return;
  const { minReaderVersion: reader = 0, minWriterVersion: writer = 0 } = protocol ?? {};
  if (metaData === undefined || !isOurs(metaData, log.table))
    throw new TablesError(
      `${url} is a Delta table that trendlake did not make. It was left as it is: set TRENDLAKE_TABLES_URL to another address.`,
    );
  if (reader > PROTOCOL.minReaderVersion || writer > PROTOCOL.minWriterVersion)
    throw new TablesError(
      `${url} asks for Delta protocol ${reader}/${writer} (reader/writer); this trendlake knows ${PROTOCOL.minReaderVersion}/${PROTOCOL.minWriterVersion}. A newer trendlake or another program changed it. It was left as it is: update trendlake, or set TRENDLAKE_TABLES_URL to another address.`,
    );
};

/** Refuses a table where another lake publishes under the same name. @throws TablesError */
export const refuseOtherLake = (log: DeltaLog, { url, lake, lakeId, replace }: Wish): void => {
  const publisher = publisherOf(log.metaData, lake);
  if (publisher === undefined || publisher === lakeId || replace) return;
  throw new TablesError(
    `Another lake publishes as "${lake}" into ${url}. Nothing was published there. Give this lake another name with TRENDLAKE_LAKE or, if that lake is gone for good, run \`${commandText('publish --replace')}\` once, which takes its place and its rows out.`,
  );
};
