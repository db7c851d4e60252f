import type { ManifestTotals } from '../../output/parquet/manifest.ts';
import { countOf, type LakeMetric, type Sample, seconds } from './lake-metric.ts';

const exportSums = (manifest: ManifestTotals | undefined, field: 'rows' | 'bytes'): Sample[] => {
  const sums = new Map<string, number>();
  for (const file of manifest?.files ?? [])
    sums.set(file.table, (sums.get(file.table) ?? 0) + file[field]);
  return [...sums].map(([table, sum]) => [sum, { table }]);
};

export const EXPORT_METRICS: readonly LakeMetric[] = [
  {
    name: 'trendlake_export_age_seconds',
    type: 'gauge',
    help: 'Seconds since an export changed a Parquet file. Compare with trendlake_export_pending_partitions.',
    labels: [],
    read: ({ manifest, now }) =>
      manifest === undefined ? [] : [[seconds(Math.max(0, now - Date.parse(manifest.exportedAt)))]],
  },
  {
    name: 'trendlake_export_pending_partitions',
    type: 'gauge',
    help: 'Parquet files with changes that are not exported yet.',
    labels: [],
    read: (scraped) => [[countOf(scraped, 'touched_partitions')]],
  },
  {
    name: 'trendlake_export_rows',
    type: 'gauge',
    help: 'Rows in the Parquet files of each table.',
    labels: ['table'],
    read: ({ manifest }) => exportSums(manifest, 'rows'),
  },
  {
    name: 'trendlake_export_bytes',
    type: 'gauge',
    help: 'Size of the Parquet files of each table.',
    labels: ['table'],
    read: ({ manifest }) => exportSums(manifest, 'bytes'),
  },
];
