import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_KINDS } from '../../../schema/vocabulary.ts';
import { CALL_METRICS } from './call-metrics.ts';
import { EXPORT_METRICS } from './export-metrics.ts';
import { countOf, type LakeMetric, type Sample, type Scraped, zeroFilled } from './lake-metric.ts';
import { QUOTA_METRICS } from './quota-metrics.ts';
import { RUN_METRICS } from './run-metrics.ts';

const FILES = ['trendlake.db', 'trendlake.db-wal', 'service.db', 'service.db-wal'];

const fileSizes = ({ lake }: Scraped): Sample[] =>
  FILES.map((file) => [
    statSync(join(lake.dataDir, file), { throwIfNoEntry: false })?.size ?? 0,
    { file },
  ]);

/** All metrics of the lake, for `sync` and `schedule` in any process. */
export const LAKE_METRICS: readonly LakeMetric[] = [
  ...RUN_METRICS,
  ...CALL_METRICS,
  ...QUOTA_METRICS,
  {
    name: 'trendlake_rows',
    type: 'gauge',
    help: 'Rows of each table. May be a minute or two old in a large lake.',
    labels: ['table'],
    read: ({ tallies }) => tallies.rows.map(({ table, rows }) => [rows, { table }]),
  },
  {
    name: 'trendlake_rejected_items',
    type: 'gauge',
    help: 'Items that could not be loaded.',
    labels: [],
    read: ({ tallies }) => [[tallies.rejected]],
  },
  {
    name: 'trendlake_drift_fields',
    type: 'gauge',
    help: 'Fields and shapes that differ from the interface.',
    labels: [],
    read: ({ tallies }) => [[tallies.drift]],
  },
  ...EXPORT_METRICS,
  {
    name: 'trendlake_events_total',
    type: 'counter',
    help: 'Detected events by kind.',
    labels: ['kind'],
    read: ({ tallies }) =>
      zeroFilled(
        'kind',
        EVENT_KINDS,
        tallies.events.map(({ kind, events }) => [kind, events]),
      ),
  },
  {
    name: 'trendlake_deliveries',
    type: 'gauge',
    help: 'Webhook deliveries by state: pending, delivered, failed.',
    labels: ['state'],
    read: ({ tallies }) =>
      zeroFilled(
        'state',
        ['pending', 'delivered', 'failed'],
        tallies.deliveries.map(({ state, deliveries }) => [state, deliveries]),
      ),
  },
  {
    name: 'trendlake_subscriptions',
    type: 'gauge',
    help: 'Webhook subscriptions by state: active, disabled.',
    labels: ['state'],
    read: (scraped) =>
      (['active', 'disabled'] as const).map((state) => [
        countOf(
          scraped,
          `subscriptions where disabled_at is ${state === 'active' ? '' : 'not '}null`,
        ),
        { state },
      ]),
  },
  {
    name: 'trendlake_database_size_bytes',
    type: 'gauge',
    help: 'Size of the database files and their write-ahead logs.',
    labels: ['file'],
    read: fileSizes,
  },
  {
    name: 'trendlake_disk_free_bytes',
    type: 'gauge',
    help: 'Free space on the disk of the data directory.',
    labels: [],
    read: ({ lake }) => {
      const { bavail, bsize } = statfsSync(lake.dataDir);
      return [[bavail * bsize]];
    },
  },
];
