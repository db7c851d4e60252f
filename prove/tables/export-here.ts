import { join } from 'node:path';
import { lakeIdOf, restoreMarkOf } from '../../src/lake/meta.ts';
import { type Lake, openLakeForReading } from '../../src/lake/open.ts';
import { exportPartitions } from '../../src/output/parquet/export-partitions.ts';
import { systemDisk } from '../../src/output/parquet/install-file.ts';
import { PARQUET_TABLES } from '../../src/output/parquet/parquet-tables.ts';

/** Exports in this thread, for one who does so a thousand times and alone: starting one takes longer. */
export const exportHere = async (lake: Lake): Promise<void> => {
  const { dataDir } = lake;
  const exported = { lakeId: lakeIdOf(lake), restoreMark: restoreMarkOf(lake.sqlite) };
  const reading = openLakeForReading(dataDir);
  try {
    await exportPartitions({
      sqlite: reading.sqlite,
      folder: join(dataDir, 'parquet'),
      tables: PARQUET_TABLES,
      full: false,
      exportedAt: new Date().toISOString(),
      disk: systemDisk,
      codec: 'zstd',
      lake: exported,
      checkStop: () => {},
      onFile: () => {},
    });
  } finally {
    reading.close();
  }
};
