import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import Database from 'better-sqlite3';
import { buildLake } from '../bench/scale/build-lake.ts';
import { LAKE_FILE } from '../src/lake/open.ts';
import { startCeph } from './tables/ceph-store.ts';
import { lacksStore } from './tables/installed.ts';

// The promise of docs/guides/backups.md: a bucket alone brings lake and service.db back. Backs a lake up to a
// real S3 server (Ceph), removes the data directory, restores with one command and compares every table.
//
//   npm run -s prove restore [-- --snapshots 10000000]

const { values } = parseArgs({ options: { snapshots: { type: 'string', default: '1000000' } } });
const SNAPSHOTS = Number(values.snapshots);
const BUCKET = 'drill';
const BIN = join(import.meta.dirname, '..', 'src', 'cli', 'bin.js');

const print = (label: string, text: string): void =>
  void process.stdout.write(`${label.padEnd(34)}${text}\n`);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Runs a command in a process. @returns its seconds and output */
const command = async (
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ seconds: string; out: string }> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [BIN, ...argv], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code ?? 'a signal'}`);
  const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  return { seconds, out: Buffer.concat(chunks).toString() };
};

/** Rows of each table, with the sum of every column's numbers and of its texts' lengths. */
const numbersOf = (path: string): Record<string, readonly unknown[]> => {
  const sqlite = new Database(path, { readonly: true });
  const tables = sqlite
    .prepare("select name from sqlite_schema where type = 'table' and sql not like '%virtual%'")
    .pluck()
    .all() as string[];
  const numbers = tables.map((table) => {
    const columns = sqlite.prepare('select name from pragma_table_info(?)').pluck().all(table);
    const sums = columns.map(
      (name) => `total("${String(name)}"), total(length("${String(name)}"))`,
    );
    const row = sqlite.prepare(`select ${['count(*)', ...sums].join(', ')} from "${table}"`);
    return [table, row.raw().get() as unknown[]];
  });
  sqlite.close();
  return Object.fromEntries(numbers);
};

/** Tables that a restore itself writes: its mark, and what an export notes. */
const OWN_TABLES = /^(meta|touched_partitions|sqlite_)/;

const differing = (before: Record<string, unknown>, after: Record<string, unknown>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (table) =>
      !OWN_TABLES.test(table) && JSON.stringify(before[table]) !== JSON.stringify(after[table]),
  );

const prove = async (folder: string): Promise<void> => {
  const dataDir = join(folder, 'data');
  const store = await startCeph(join(folder, 'store'), Math.ceil(2 + (SNAPSHOTS * 60) / 2 ** 30));
  try {
    const credentials = { accessKeyId: store.key, secretAccessKey: store.secret };
    const at = { endpoint: store.endpoint, region: 'us-east-1', forcePathStyle: true };
    const client = new S3Client({ ...at, credentials });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const place = `s3://${BUCKET}/lake`;
    const env = { ...store.env, TRENDLAKE_DATA_DIR: dataDir, TRENDLAKE_BACKUPS_TO: place };
    buildLake(dataDir, SNAPSHOTS);
    await command(['keys', 'create', '--use-case', 'drill'], env);
    const lake = join(dataDir, LAKE_FILE);
    const service = join(dataDir, 'service.db');
    const backup = await command(['backup'], env);
    const before = [numbersOf(lake), numbersOf(service)] as const;
    const bytes = statSync(lake).size;
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    const packed = Contents.reduce((sum, { Size = 0 }) => sum + Size, 0);
    rmSync(dataDir, { recursive: true });
    const restore = await command(['restore', 'latest', '--yes', '--json'], env);
    const { files } = JSON.parse(restore.out) as { files: number | null };
    const after = [numbersOf(lake), numbersOf(service)] as const;
    const differ = [...differing(before[0], after[0]), ...differing(before[1], after[1])];
    print('video snapshots', `${before[0].video_snapshot?.[0] ?? 0}`);
    print('lake', megabytes(bytes));
    print('in the bucket', megabytes(packed));
    print('backup', backup.seconds);
    print('restore, with Parquet', `${restore.seconds}, ${files ?? 0} files`);
    print('tables compared', `${Object.keys(before[0]).length + Object.keys(before[1]).length}`);
    if (differ.length > 0 || files === null || files === 0) {
      print('FAILED', `other numbers in ${differ.join(', ') || 'no table, but nothing exported'}`);
      process.exitCode = 1;
    } else print('numbers', 'equal');
  } finally {
    store.stop();
  }
};

const missing = lacksStore();
if (missing !== undefined) {
  process.stdout.write(`${missing}\n`);
  process.exitCode = 1;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-restore-'));
  try {
    await prove(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
