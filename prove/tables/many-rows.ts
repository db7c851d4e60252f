import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openLake } from '../../src/lake/open.ts';
import { type Proof, secondsSince, tableAt } from './proof.ts';
import { publishExport } from './publish-once.ts';
import { Reader } from './reader.ts';
import { START_AT } from './small-lake.ts';

const DAYS = 30;
const SUMS = 'count(*), sum(views), min(observed_at), max(observed_at)';

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

/**
 * Many snapshots, published and read once. Their Parquet is DuckDB's, laid out and listed as an export
 * does it: filling SQLite with as many would take an hour and prove nothing about publishing.
 */
export const proveManyRows = async (proof: Proof, snapshots: number): Promise<void> => {
  const dataDir = join(proof.folder, 'rows');
  openLake(dataDir).close();
  const table = join(dataDir, 'parquet', 'video_snapshots');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run("set memory_limit = '2GB'; set threads = 2; set TimeZone = 'UTC'");
  const perDay = Math.floor(snapshots / DAYS);
  const files: object[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    const from = START_AT + day * 86_400_000;
    const date = new Date(from).toISOString().slice(0, 10);
    mkdirSync(join(table, `date=${date}`), { recursive: true });
    const path = join(table, `date=${date}`, 'video_snapshots.parquet');
    await connection.run(
      `copy (select 'tt_' || (i * 7919 % 1000000)::varchar as video_id,
         make_timestamptz((${from} + i * 86400000 // ${perDay}) * 1000) as observed_at,
         (hash(i + ${day}) % 100000000)::bigint as views, (hash(i) % 1000000)::bigint as likes,
         null::double as engagement_rate, 'feed' as source, null::varchar as extra
       from range(${perDay}) t(i)) to '${path}' (format parquet, compression zstd)`,
    );
    const bytes = statSync(path).size;
    const sha256 = await sha256Of(path);
    const within = `video_snapshots/date=${date}/video_snapshots.parquet`;
    files.push({ path: within, table: 'video_snapshots', date, rows: perDay, bytes, sha256 });
  }
  writeFileSync(join(dataDir, 'parquet', 'manifest.json'), JSON.stringify({ files }));
  const here = await connection.runAndReadAll(
    `select ${SUMS.replaceAll(/(min|max)\((\w+)\)/g, 'epoch_ms($1($2))')} from read_parquet('${table}/*/*.parquet')`,
  );
  const sizes = readdirSync(table).map(
    (day) => statSync(join(table, day, 'video_snapshots.parquet')).size,
  );
  const published = await publishExport(proof, dataDir, 'rows');
  const reader = new Reader();
  const askedAt = performance.now();
  const [there] = await reader.query(
    `select ${SUMS.replaceAll(/(min|max)\((\w+)\)/g, 'toUnixTimestamp64Milli($1($2))')} from ${tableAt(proof, 'video_snapshots')} where lake = 'rows'`,
  );
  const readS = secondsSince(askedAt);
  reader.close();
  const isEqual = String(there?.map(String)) === String(here.getRows()[0]?.map(String));
  proof.tell(
    `rows: ${perDay * DAYS} snapshots in ${published.files} files of up to ${(Math.max(...sizes) / 2 ** 20).toFixed(0)} MiB (${(published.bytes / 2 ** 30).toFixed(2)} GiB) published in ${published.seconds.toFixed(0)} s with ${published.mebibytes.toFixed(0)} MiB; read once in ${readS.toFixed(0)} s; count, sum and both end times ${isEqual ? 'equal' : 'UNEQUAL'}`,
  );
  if (!isEqual) proof.fail(`rows: ${String(there)} there, ${String(here.getRows()[0])} here`);
};
