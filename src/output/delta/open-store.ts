import { fileURLToPath } from 'node:url';
import { UsageError } from '../../base/errors.ts';
import { FileStore } from './file-store.ts';
import type { StoreDeps, TableStore } from './table-store.ts';

/** The client of S3 is an optional peer of the package. */
const loadS3 = async (): Promise<typeof import('./s3-store.ts')> => {
  try {
    return await import('./s3-store.ts');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'))
      throw error;
    throw new UsageError(
      'An s3:// address needs the package @aws-sdk/client-s3, which is not installed. Install it beside trendlake: `npm install @aws-sdk/client-s3`, with -g if trendlake is installed with -g.',
      { cause: error },
    );
  }
};

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
  const { S3Store } = await loadS3();
  return S3Store.open(new URL(url), deps);
};
