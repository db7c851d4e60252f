import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/clock.ts';
import { exportLake } from '../src/export/export-lake.ts';
import { openLake, openLakeForReading } from '../src/lake/open.ts';
import { figureOf, tellFigure } from './all/figure.ts';

// Parquet of a whole lake: ours, against DuckDB fed by data chunks with COPY (zstd) into the same
// layout from the same lake. Paired, the first of a pair alternating, each in a process of its own;
// medians of the pairs' ratios, with the least and the greatest.
//
//   npm run -s bench:export                        100,000 made-up videos, 1,000,000 snapshots
//   npm run -s bench:export -- --videos 20000      fewer
//   npm run -s bench:export -- --lake FOLDER       the lake of a data directory, such as an import
//   npm run -s bench:export -- --rounds 7          pairs; 5 unless given
//
// Processor time tells more than the clock on a machine that is busy: the disk is not waited for in
// it, and DuckDB does not wait for the disk.

interface Measured {
  readonly wallMs: number;
  readonly processorMs: number;
  readonly peakMiB: number;
  readonly bytes: number;
}
const MEASURES = ['wallMs', 'processorMs', 'peakMiB', 'bytes'] as const;
type Part = 'ours' | 'duckdb';

const bytesUnder = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

/** The part of this file that runs in a process of its own and prints one line. */
const child = async (part: string, dataDir: string, videos: number): Promise<void> => {
  if (part === 'build') {
    const { fillLake } = await import('./export/made-lake.ts');
    const lake = openLake(dataDir);
    fillLake(lake, videos);
    lake.close();
    return;
  }
  const folder = join(dataDir, part === 'ours' ? 'parquet' : 'duckdb');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const peer = part === 'ours' ? undefined : await import('./export/duckdb-peer.ts');
  const lake = peer === undefined ? openLake(dataDir) : openLakeForReading(dataDir);
  const before = process.cpuUsage();
  const startedAt = performance.now();
  if (peer === undefined) await exportLake(lake, { clock: systemClock, full: true });
  else await peer.exportByDuckdb(lake, folder);
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  lake.close();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  const processorMs = (user + system) / 1000;
  console.log(
    JSON.stringify({ wallMs, processorMs, peakMiB, bytes: bytesUnder(folder) } satisfies Measured),
  );
};

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);
const median = (numbers: readonly number[]): number =>
  sorted(numbers)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const print = (pairs: readonly Record<Part, Measured>[]): void => {
  for (const part of ['ours', 'duckdb'] as const) {
    const of = (measure: keyof Measured): number => median(pairs.map((p) => p[part][measure]));
    console.log(
      `${part.padEnd(7)} ${(of('wallMs') / 1000).toFixed(2)} s   processor ${(of('processorMs') / 1000).toFixed(2)} s   peak ${of('peakMiB').toFixed(0)} MiB   ${(of('bytes') / 1e6).toFixed(2)} MB`,
    );
  }
  for (const measure of MEASURES) {
    const ratios = sorted(pairs.map(({ ours, duckdb }) => ours[measure] / duckdb[measure]));
    const [least, greatest] = [ratios[0], ratios.at(-1)].map((ratio) => ratio?.toFixed(2));
    console.log(`${measure.padEnd(12)} ${median(ratios).toFixed(2)}x  (${least} to ${greatest})`);
  }
  const [time, bytes] = (['wallMs', 'bytes'] as const).map((measure) =>
    pairs.map(({ ours, duckdb }) => ours[measure] / duckdb[measure]),
  );
  const peer = 'against DuckDB with COPY zstd';
  tellFigure(figureOf({ what: `full export ${peer}: time`, unit: 'x', goal: 1 }, time ?? []));
  tellFigure(figureOf({ what: `full export ${peer}: bytes`, unit: 'x', goal: 0.85 }, bytes ?? []));
  const peaks = pairs.map(({ ours }) => ours.peakMiB);
  tellFigure(figureOf({ what: 'full export: peak of the process', unit: 'MB', goal: 240 }, peaks));
};

const main = (): void => {
  const { values } = parseArgs({
    options: {
      videos: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '5' },
      lake: { type: 'string' },
    },
  });
  const dataDir = values.lake ?? mkdtempSync(join(tmpdir(), 'trendlake-bench-export-'));
  const run = (part: string): string =>
    execFileSync(process.execPath, [import.meta.filename, part, dataDir, values.videos], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const measured = (part: Part): Measured => JSON.parse(run(part)) as Measured;
  try {
    if (values.lake === undefined) run('build');
    const pairs = Array.from({ length: Number(values.rounds) }, (_, round) => {
      const first = round % 2 === 0 ? measured('ours') : undefined;
      const duckdb = measured('duckdb');
      return { ours: first ?? measured('ours'), duckdb };
    });
    print(pairs);
  } finally {
    rmSync(join(dataDir, 'duckdb'), { recursive: true, force: true });
    if (values.lake === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
};

const [part = '', dataDir = '', videos = '0'] = process.argv.slice(2);
if (['build', 'ours', 'duckdb'].includes(part)) await child(part, dataDir, Number(videos));
else main();
