import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { folderOf } from './exported-files.ts';
import { filledLake, NOON_AT } from './filled-lake.ts';
import type { Met } from './reader-child.ts';

const READS = Number(process.env.PROVE_READS ?? 200);
const READERS = 2;
const ROWS_A_DAY = 2000;

const child = (name: string): string => join(import.meta.dirname, `${name}-child.ts`);

/** Exports rows of another round again and again; resolves once the first export stands. */
const startExports = async (dataDir: string): Promise<ChildProcess> => {
  const exports = spawn(process.execPath, [child('export'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void exports.kill('SIGKILL'));
  await once(exports.stdout, 'data');
  return exports;
};

/**
 * Globs a table's files with DuckDB until it is stopped, like an analyst who knows no manifest.
 * @returns number of files read, and of those that held rows of two exports
 */
const glob = async (folder: string, stopping: AbortSignal) => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const globbed = { reads: 0, torn: [] as string[] };
  while (!stopping.aborted) {
    const files = await connection.runAndReadAll(
      `select filename, min(views)::varchar, max(views)::varchar
       from read_parquet('${folder}/video_snapshots/**/*.parquet', filename = true) group by 1`,
    );
    for (const [path, least, greatest] of files.getRows())
      if (least !== greatest) globbed.torn.push(`${path}: ${least}, ${greatest}`);
    globbed.reads += files.currentRowCount;
  }
  return globbed;
};

// A read is torn when the manifest, or a file it names, is missing or not whole, holds rows of two
// exports, or is neither what that manifest names nor of an export after it.
test(`${READS} reads of Parquet files while they are exported again and again: none torn`, async () => {
  const lake = filledLake();
  lake.sqlite.exec(`
      insert into video_snapshot (video_key, observed_at, views, rate_derived, source)
        with recursive n(i) as (select 0 union all select i + 1 from n where i < ${3 * ROWS_A_DAY - 1})
        select 1 + i % 10, ${NOON_AT} + (i % 3) * 86400000 + 1000 + i, 0, 0, 1 from n`);
  const exports = await startExports(lake.dataDir);
  const run = promisify(execFile);
  const asked = String(Math.ceil(READS / READERS));
  const done = new AbortController();
  const globbing = glob(folderOf(lake), done.signal);
  const readers = await Promise.all(
    Array.from({ length: READERS }, () =>
      run(process.execPath, [child('reader'), folderOf(lake), asked]),
    ),
  ).finally(() => done.abort());
  const globbed = await globbing;
  expect(exports.exitCode).toBeNull();
  const met = readers.map(({ stdout }) => JSON.parse(stdout) as Met);
  expect([...met.flatMap(({ torn }) => torn), ...globbed.torn]).toEqual([]);
  const sum = (of: (reader: Met) => number): number =>
    met.reduce((total, reader) => total + of(reader), 0);
  const reads = sum((reader) => reader.reads);
  const asNamed = sum((reader) => reader.asNamed);
  const newer = sum((reader) => reader.newer);
  expect(asNamed + newer).toBe(reads);
  expect(reads).toBeGreaterThanOrEqual(READS);
  process.stdout.write(
    `${reads} reads by ${READERS} processes over ${Math.max(...met.map((reader) => reader.exports))} exports, 0 torn: ${asNamed} as the manifest names them, ${newer} of an export after it; ${globbed.reads} more by a glob of DuckDB, 0 torn\n`,
  );
}, 3_600_000);
