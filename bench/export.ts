import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DuckDBAppender,
  DuckDBInstance,
  DuckDBTimestampMillisecondsValue,
} from '@duckdb/node-api';
import { systemClock } from '../src/clock.ts';
import { DAY_MS, HOUR_MS } from '../src/durations.ts';
import { exportLake } from '../src/export/export-lake.ts';
import { PARQUET_TABLES, type ParquetColumn } from '../src/export/parquet-tables.ts';
import { type Lake, openLake, openLakeForReading } from '../src/lake/open.ts';

// Parquet of 100,000 videos and 1,000,000 snapshots over 30 days: ours, and DuckDB's appender with
// COPY (zstd) into the same layout from the same lake. Each in a process of its own.
//
//   npm run -s bench:export [-- <videos> <rounds>]      the best of the rounds counts

const SNAPSHOTS_PER_VIDEO = 10;
const DAYS = 30;
const START_AT = Date.UTC(2026, 0, 1);
const WORDS =
  'the best easy day night dance recipe how to make this you will never believe why my new morning routine with friends family travel food workout challenge part funny cat dog baby school city summer hack tips tutorial review first last time watch until end secret simple viral trend story love life music song guitar car game live reaction try not laugh wait for it pov when your mom says no más fácil receta gatos 東京 朝ごはん おすすめ مطبخ سريع'.split(
    ' ',
  );
const TAGS =
  'fyp foryou viral trending dance food recipe cat travel fitness fashion learnontiktok pourtoi おすすめ reels shorts'.split(
    ' ',
  );
const EMOJI = ['😂', '🔥', '😭', '✨', '💀', '👀', '🥹', '❤️'];

/** Numbers in [0, 1), the same in every run. */
const seeded = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
};

const fill = (lake: Lake, videos: number): void => {
  const random = seeded(7);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const title = (): string =>
    [
      ...Array.from({ length: 3 + Math.floor(random() * 12) }, () => pick(WORDS)),
      ...(random() < 0.5 ? [pick(EMOJI)] : []),
      ...Array.from({ length: Math.floor(random() * 6) }, () => `#${pick(TAGS)}`),
    ].join(' ');
  const addVideo = lake.sqlite.prepare(
    'insert into video (key, id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at, extra) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const addSnapshot = lake.sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, likes, engagement_rate, rate_derived, source, extra) values (?, ?, ?, ?, ?, ?, ?, null)',
  );
  const add = (key: number): void => {
    const [platform, prefix] = pick([
      ['tiktok', 'tt'],
      ['instagram', 'ig'],
      ['youtube', 'yt'],
    ] as const);
    const id = `${prefix}_7${String(Math.floor(random() * 1e9)).padStart(9, '0')}${String(key).padStart(9, '0')}`;
    const firstAt = START_AT + Math.floor((random() * (DAYS - 3) * DAY_MS) / 1000) * 1000;
    let views = Math.floor(100 * 10 ** (random() * 4));
    let likes = Math.floor(views * random() * 0.2);
    const snapshots = Array.from({ length: SNAPSHOTS_PER_VIDEO }, (_, i) => {
      views += Math.floor(views * random() * 0.3);
      likes += Math.floor(likes * random() * 0.3);
      return [key, firstAt + i * 6 * HOUR_MS, views, likes, null, 1, i % 3] as const;
    });
    const user = `${pick(WORDS)}.${Math.floor(random() * 30_000)}`;
    const extra = random() < 0.3 ? JSON.stringify({ comments: Math.floor(views / 300) }) : null;
    addVideo.run(
      ...[key, id, platform, title(), user, views, likes, (100 * likes) / views],
      ...[firstAt - Math.floor(random() * 48) * HOUR_MS, firstAt, extra],
    );
    for (const snapshot of snapshots) addSnapshot.run(...snapshot);
  };
  lake.sqlite.transaction(() => {
    for (let key = 1; key <= videos; key++) add(key);
  })();
};

const DUCKDB_TYPES = {
  INT64: 'bigint',
  TIMESTAMP_MILLIS: 'timestamp_ms',
  DOUBLE: 'double',
  UTF8: 'varchar',
} as const;

const append = (appender: DuckDBAppender, { type }: ParquetColumn, value: unknown): void => {
  if (value === null) appender.appendNull();
  else if (type === 'INT64') appender.appendBigInt(BigInt(value as number));
  else if (type === 'TIMESTAMP_MILLIS')
    appender.appendTimestampMilliseconds(
      new DuckDBTimestampMillisecondsValue(BigInt(value as number)),
    );
  else if (type === 'DOUBLE') appender.appendDouble(value as number);
  else appender.appendVarchar(value as string);
};

const withDuckdb = async (lake: Lake, folder: string): Promise<void> => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  for (const { name, columns, key, dateColumn } of PARQUET_TABLES) {
    if (name !== 'videos' && name !== 'video_snapshots') continue;
    await connection.run(
      `create table ${name} (${columns.map((c) => `"${c.name}" ${DUCKDB_TYPES[c.type]}`).join(', ')})`,
    );
    const appender = await connection.createAppender(name);
    const names = columns.map((c) => `"${c.name}"`).join(', ');
    const rows = lake.sqlite.prepare(`select ${names} from ${name} order by ${key}`).raw();
    for (const row of rows.iterate() as IterableIterator<unknown[]>) {
      columns.forEach((column, index) => {
        append(appender, column, row[index]);
      });
      appender.endRow();
    }
    appender.closeSync();
    await connection.run(
      dateColumn === undefined
        ? `copy ${name} to '${folder}/${name}.parquet' (format parquet, compression zstd)`
        : `copy (select *, strftime("${dateColumn}", '%Y-%m-%d') as date from ${name}) to '${folder}/${name}' (format parquet, compression zstd, partition_by (date))`,
    );
  }
};

const bytesUnder = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

interface Measured {
  wallMs: number;
  rssMiB: number;
  bytes: number;
}

/** The part of this file that runs in a process of its own and prints one line. */
const child = async (part: string, dataDir: string, videos: number): Promise<void> => {
  if (part === 'build') {
    const lake = openLake(dataDir);
    fill(lake, videos);
    lake.close();
    return;
  }
  const folder = join(dataDir, part === 'ours' ? 'parquet' : 'duckdb');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const lake = part === 'ours' ? openLake(dataDir) : openLakeForReading(dataDir);
  const startedAt = performance.now();
  if (part === 'ours') await exportLake(lake, { clock: systemClock, full: true });
  else await withDuckdb(lake, folder);
  const wallMs = performance.now() - startedAt;
  lake.close();
  const rssMiB = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ wallMs, rssMiB, bytes: bytesUnder(folder) } satisfies Measured));
};

const main = (videos: number, rounds: number): void => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-bench-export-'));
  const run = (part: string): string =>
    execFileSync(process.execPath, [import.meta.filename, part, dataDir, String(videos)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  try {
    run('build');
    const measured = Array.from({ length: rounds }, () => ({
      ours: JSON.parse(run('ours')) as Measured,
      duckdb: JSON.parse(run('duckdb')) as Measured,
    }));
    const best = (of: 'ours' | 'duckdb'): Measured =>
      measured.map((round) => round[of]).reduce((a, b) => (a.wallMs <= b.wallMs ? a : b));
    const [ours, duckdb] = [best('ours'), best('duckdb')];
    for (const [name, { wallMs, rssMiB, bytes }] of Object.entries({ ours, duckdb }))
      console.log(
        `${name.padEnd(7)} ${(wallMs / 1000).toFixed(2)} s   peak ${rssMiB.toFixed(0)} MiB   ${(bytes / 1e6).toFixed(1)} MB`,
      );
    const ratio = (of: keyof Measured): string => (ours[of] / duckdb[of]).toFixed(2);
    console.log(
      `ratio   wall ${ratio('wallMs')} (goal 2)   peak ${ratio('rssMiB')} (goal 1)   bytes ${ratio('bytes')} (goal 1)`,
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
};

const [first = '100000', second = '2', third = '0'] = process.argv.slice(2);
if (Number.isNaN(Number(first))) await child(first, second, Number(third));
else main(Number(first), Number(second));
