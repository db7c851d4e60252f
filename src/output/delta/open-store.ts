import { fileURLToPath } from 'node:url';
import { UsageError } from '../../base/errors.ts';
import { FileStore } from './file-store.ts';
import type { StoreDeps, TableStore } from './table-store.ts';

/**
 * Opens the store of an address, `file:///folder` or `s3://bucket/prefix`. The client of S3 is
 * loaded for the latter only.
 * @throws UsageError for any other address
 */
export const openStore = async (url: string, deps: StoreDeps): Promise<TableStore> => {
  const { protocol } = new URL(url);
  if (protocol === 'file:') return new FileStore(fileURLToPath(url).replace(/[\\/]+$/, ''));
  if (protocol !== 's3:')
    throw new UsageError(
      `TRENDLAKE_TABLES_URL must be s3://bucket/prefix or file:///folder; it begins with ${protocol}//`,
    );
  const { S3Store } = await import('./s3-store.ts');
  return S3Store.open(new URL(url), deps);
};
