import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HOUR_MS } from '../src/base/durations.ts';
import { createKey } from '../src/lake/keys/keys.ts';
import { openServiceDb } from '../src/lake/keys/service-db.ts';
import { LAKE_FILE } from '../src/lake/open.ts';
import { figureOf, tellFigure } from './all/figure.ts';
import { END_AT } from './scale/build-lake.ts';
import { runCommand } from './scale/run-command.ts';
import { firstResponse } from './serve/first-response.ts';

// A lake of N snapshots of N / 10 videos, and one of --base beside it: what opening, a night, detection,
// choice, export, commands and first responses of the service cost on each, time and memory, every
// step in its own process. Nights are loaded on both alternately. With --keep the lakes are built in
// DIR, or used from there. The last column is how often the larger takes the smaller one's processor
// time, marked where that is more than n log n and a moment.
//
//   npm run bench scale -- --snapshots 10000000 [--base 1000000] [--rounds 3] [--keep DIR]

const { values } = parseArgs({
  options: {
    snapshots: { type: 'string', default: '10000000' },
    base: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    keep: { type: 'string' },
  },
});
const SIZES = [Number(values.base), Number(values.snapshots)] as const;
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'trendlake-bench-'));

interface Measured {
  readonly ms: number;
  /** Of the processor; of the service while it responded. */
  readonly processorMs: number;
  readonly peakMb: number;
  readonly journalBytes?: number;
  /** Files, of an export. */
  readonly wrote?: number;
}

const dataDirOf = (size: number): string => join(folder, String(size));

const CHILD = fileURLToPath(new URL('./scale/step-child.ts', import.meta.url));
const measure = (size: number, step: string, number = 0): Measured =>
  JSON.parse(
    execFileSync(process.execPath, [CHILD, step, dataDirOf(size), String(number)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  ) as Measured;

const show = (ms: number): string =>
  ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toPrecision(3)} ms`;

const [SMALL, LARGE] = SIZES;
const N_LOG_N = (LARGE * Math.log2(LARGE)) / (SMALL * Math.log2(SMALL));
const MOMENT_MS = 200;
const SLACK = 1.25; // pages that the system still holds, and those it does not

const grew = (measured: readonly Measured[]): string => {
  const [small, large] = measured.map(({ processorMs }) => processorMs) as [number, number];
  const isMore = large > MOMENT_MS && large / small > SLACK * N_LOG_N;
  return `${(large / small).toPrecision(2)}x${isMore ? ` (n log n: ${N_LOG_N.toPrecision(3)}x)` : ''}`;
};

const note = (step: string, measured: readonly Measured[]): void => {
  const cells = measured.map(({ ms, peakMb, wrote }) => {
    const written = wrote === undefined ? '' : `, ${wrote} files`;
    return `${show(ms)}, ${peakMb.toFixed(0)} MB${written}`.padEnd(26);
  });
  console.log(`  ${step.padEnd(28)} ${cells.join(' ')} ${grew(measured)}`);
};

const REQUESTED: readonly [name: string, path: string][] = [
  ['feed of a day, first', '/v1/feed/youtube?limit=50'],
  ['feed of 30 days, first', '/v1/feed/youtube?limit=50&dateRange=30d'],
  ['trends of a day, first', '/v1/trends/youtube/day'],
  ['trends of a week, first', '/v1/trends/youtube/week'],
  ['trends of a month, first', '/v1/trends/youtube/month'],
  ['hashtags of 30 days, first', '/v1/hashtags'],
  ['search, common word', '/v1/search?q=things'],
  ['search, rare word', '/v1/search?q=4711'],
];

const COMMANDS: readonly [name: string, line: string][] = [
  ['status', 'trendlake status'],
  ['doctor', 'trendlake doctor'],
  ['query --csv of all ids', "trendlake query --csv 'select id from videos' | cat"],
  ['the same, read to line 10', "trendlake query --csv 'select id from videos' | head >&2"],
  ['search, a common word', 'trendlake search things'],
  ['search, a rare word', 'trendlake search 4711'],
];

/** Those of them that are lists. */
const LISTS = 6;

/** First responses, each of a service that was just started over a lake, and its memory then. */
const firstResponses = async (size: number, at: number): Promise<Measured[]> => {
  const dataDir = dataDirOf(size);
  const db = openServiceDb(dataDir);
  const tier = { tier: 'enterprise', ratePerMinute: 100_000, callsPerMonth: 1e9 } as const;
  const { key } = createKey(db, { useCase: 'bench', ...tier }, END_AT);
  db.close();
  const measured: Measured[] = [];
  for (const [, path] of REQUESTED)
    measured.push(await firstResponse({ dataDir, at }, { path, key }));
  return measured;
};

try {
  for (const size of SIZES) {
    mkdirSync(dataDirOf(size), { recursive: true, mode: 0o700 });
    if (existsSync(join(dataDirOf(size), LAKE_FILE))) continue;
    const { ms, peakMb } = measure(size, 'build', size);
    const mb = statSync(join(dataDirOf(size), LAKE_FILE)).size / 1e6;
    console.log(
      `${size} snapshots: built in ${show(ms)}, ${peakMb.toFixed(0)} MB, ${mb.toFixed(0)} MB on disk`,
    );
  }
  console.log(
    `  ${''.padEnd(28)} ${SIZES.map((size) => `${size} snapshots`.padEnd(26)).join(' ')}`,
  );
  const both = (step: string, name = step, number = 0): Measured[] => {
    const measured = SIZES.map((size) => measure(size, step, number));
    note(name, measured);
    return measured;
  };
  both('open');
  for (const [name, line] of COMMANDS)
    note(
      name,
      SIZES.map((size) => runCommand(dataDirOf(size), line)),
    );
  const counted = both('count', 'count(*) of the snapshots');
  const timelines = both('timelines', 'a timeline');
  both('detect', 'first detection');
  both('export', 'first export');
  const grown: number[] = [];
  const journal: number[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    const [small, large] = both('night', 'a page of a night', round) as [Measured, Measured];
    grown.push(large.ms / small.ms);
    journal.push((large.journalBytes ?? Number.NaN) / 1e6);
  }
  const nights = Number(values.rounds);
  const detected = both('detect', "a night's detection", nights);
  both('choose', "a night's choice", nights);
  both('export', "a night's export", nights);
  const after = END_AT + (nights + 1) * HOUR_MS;
  const found = [
    await firstResponses(SIZES[0], after),
    await firstResponses(SIZES[1], after),
  ] as const;
  for (const [index, [name]] of REQUESTED.entries())
    note(
      name,
      found.flatMap((measured) => measured[index] ?? []),
    );

  const millions = `${SIZES[1] / 1e6} million snapshots`;
  const large = (measured: readonly Measured[]): Measured =>
    measured[1] ?? { ms: Number.NaN, processorMs: Number.NaN, peakMb: Number.NaN };
  tellFigure(
    figureOf(
      {
        what: `a page of a night at ${millions}, against ${SIZES[0] / 1e6} million`,
        unit: 'x',
        goal: 1.5,
      },
      grown,
    ),
  );
  tellFigure(
    figureOf(
      {
        what: 'journal written for a page of 100, 80 of them known',
        unit: 'MB',
        goal: null,
      },
      journal,
    ),
  );
  tellFigure(
    figureOf({ what: 'count(*) of video_snapshots', unit: 's', goal: 1 }, [
      large(counted).ms / 1000,
    ]),
  );
  tellFigure(
    figureOf({ what: 'timeline of one video', unit: 'ms', goal: 0.1 }, [large(timelines).ms]),
  );
  tellFigure(
    figureOf({ what: 'slowest first list after a start', unit: 'ms', goal: 100 }, [
      Math.max(...found[1].slice(0, LISTS).map(({ ms }) => ms)),
    ]),
  );
  tellFigure(
    figureOf({ what: "memory of a night's detection", unit: 'MB', goal: 400 }, [
      large(detected).peakMb,
    ]),
  );
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
