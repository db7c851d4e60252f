import type { Chore } from '../src/run/plan/job.ts';

/** Updates the Parquet files every night, after the lists and refreshes. */
export default {
  name: 'export',
  schedule: '30 4 * * *',
  run: async ({ lake, config, clock, signal }) => {
    const { exportLake } = await import('../src/output/parquet/export-lake.ts');
    const { files, rows } = await exportLake(lake, {
      clock,
      signal,
      codec: config.parquetCodec,
    });
    return { did: `${files} Parquet files, ${rows} rows written`, files, rows };
  },
} satisfies Chore;
