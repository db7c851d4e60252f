import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { realPath } from '../fixtures/real-data.ts';
import { systemClock } from '../src/base/clock.ts';
import { ALLOCATOR, EXPORT_HEAP } from '../src/base/small-memory.ts';
import { compileCacheFolder } from '../src/cli/compile-cache.js';
import { openLake, openLakeForReading } from '../src/lake/open.ts';
import { exportLake } from '../src/output/parquet/export-lake.ts';
import { figureOf, tellFigure } from './all/figure.ts';

// Parquet of a whole lake: ours, against DuckDB fed by data chunks with COPY (zstd) into the same
// layout from the same lake. Paired, the first of a pair alternating, each in its own process;
// medians of the pairs' ratios, with the least and the greatest. Ours is started as `trendlake export`
// starts itself; modules are loaded as compiled before.
//
//   npm run -s bench export                        100,000 made-up videos, 1,000,000 snapshots, and
//                                                  the real data set, where it is
//   npm run -s bench export -- --videos 20000      fewer
//   npm run -s bench export -- --lake FOLDER       the lake of a data directory, such as an import
//   npm run -s bench export -- --rounds 7          pairs; 5 unless given
//
// On a busy machine, processor time says more than elapsed time: the disk is not waited for in
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

/** The part of this file that runs in its own process and prints one line. */
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
  if (peer === undefined) await exportLake(lake, { clock: systemClock, full: true, here: true });
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

/** An exported lake and the goals of its export. */
interface Subject {
  /** Ends what the figures are called. */
  readonly of: string;
  readonly timeGoal: number;
  readonly bytesGoal: number;
  /** In MB; undefined: without a goal. */
  readonly peakGoal?: number;
}

const print = (
  pairs: readonly Record<Part, Measured>[],
  { of: subject, timeGoal, bytesGoal, peakGoal }: Subject,
): void => {
  console.log(`full export${subject}`);
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
  const what = `full export${subject} against DuckDB with COPY zstd`;
  tellFigure(figureOf({ what: `${what}: time`, unit: 'x', goal: timeGoal }, time ?? []));
  tellFigure(figureOf({ what: `${what}: bytes`, unit: 'x', goal: bytesGoal }, bytes ?? []));
  if (peakGoal === undefined) return;
  const peak = `full export${subject}: peak of the process`;
  const peaks = pairs.map(({ ours }) => ours.peakMiB);
  tellFigure(figureOf({ what: peak, unit: 'MB', goal: peakGoal }, peaks));
};

const run = (script: string, args: readonly string[], as: readonly string[] = []): string =>
  execFileSync(process.execPath, [...as, script, ...args], {
    encoding: 'utf8',
    env: {
      ...(as.length === 0 ? {} : ALLOCATOR),
      NODE_COMPILE_CACHE: compileCacheFolder(process.env) ?? '',
      ...process.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const compare = (dataDir: string, rounds: number, subject: Subject): void => {
  const measured = (part: Part): Measured => {
    const as = part === 'ours' ? EXPORT_HEAP : [];
    return JSON.parse(run(import.meta.filename, [part, dataDir, '0'], as)) as Measured;
  };
  const pairs = Array.from({ length: rounds }, (_, round) => {
    const first = round % 2 === 0 ? measured('ours') : undefined;
    const duckdb = measured('duckdb');
    return { ours: first ?? measured('ours'), duckdb };
  });
  print(pairs, subject);
};

/** Compares over a lake that `fill` makes. */
const compareMade = (fill: (dataDir: string) => void, rounds: number, subject: Subject): void => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-bench-export-'));
  try {
    fill(dataDir);
    compare(dataDir, rounds, subject);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
};

const IMPORT = join(import.meta.dirname, 'bulk', 'step-child.ts');

const main = (): void => {
  const { values } = parseArgs({
    options: {
      videos: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '5' },
      lake: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds);
  if (values.lake !== undefined) {
    compare(values.lake, rounds, { of: ` of ${values.lake}`, timeGoal: 1, bytesGoal: 1 });
    rmSync(join(values.lake, 'duckdb'), { recursive: true, force: true });
    return;
  }
  const made = (dataDir: string) => run(import.meta.filename, ['build', dataDir, values.videos]);
  compareMade(made, rounds, { of: '', timeGoal: 1, bytesGoal: 0.85, peakGoal: 240 });
  if (realPath === undefined) {
    console.log('The real data set is not here: its export is not measured.');
    return;
  }
  const folder = realPath;
  const subject = { of: ' of the real data set', timeGoal: 1.2, bytesGoal: 1 };
  compareMade((dataDir) => run(IMPORT, ['import', dataDir, folder]), rounds, subject);
};

const [part = '', dataDir = '', videos = '0'] = process.argv.slice(2);
if (['build', 'ours', 'duckdb'].includes(part)) await child(part, dataDir, Number(videos));
else main();
