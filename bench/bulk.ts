import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { realPath } from '../fixtures/real-data.ts';
import { figureOf, tellFigure } from './all/figure.ts';
import { makeInput, NIGHTS_SEEN } from './bulk/make-input.ts';

// Bulk loading, each in its own process: an import of the real data set, or of a folder,
// and a replay of kept pages of 100.
//
//   npm run bench bulk [-- --folder DIR] [-- --pages 1000] [-- --rounds 1]
//   npm run bench bulk -- --made 2000000        an import of so many made-up videos, five snapshots each

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    made: { type: 'string' },
    pages: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '1' },
  },
});
const scratch = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));
const CHILD = fileURLToPath(new URL('./bulk/step-child.ts', import.meta.url));

interface Measured {
  readonly ms: number;
  readonly peakMb: number;
  /** Of all threads. */
  readonly cpuSeconds: number;
  /** Of the thread that writes. */
  readonly writingSeconds: number;
}

const measure = (step: string, dataDir: string, argument: string): Measured =>
  JSON.parse(
    execFileSync(process.execPath, [CHILD, step, dataDir, argument], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  ) as Measured;

const rounds = (step: string, argument: string, prepare?: string): Measured[] =>
  Array.from({ length: Number(values.rounds) }, (_, round) => {
    const dataDir = join(scratch, `${step}-${round}`);
    mkdirSync(dataDir, { mode: 0o700 });
    if (prepare !== undefined) measure(prepare, dataDir, argument);
    const measured = measure(step, dataDir, argument);
    rmSync(dataDir, { recursive: true });
    return measured;
  });

/** An import of made-up videos alone. */
const importMade = async (videos: number): Promise<void> => {
  const folder = join(scratch, 'made');
  await makeInput(folder, videos);
  const measured = rounds('import', folder);
  const of = `import of ${videos / 1e6} million videos and ${(videos * NIGHTS_SEEN) / 1e6} million snapshots`;
  const seconds = measured.map(({ ms }) => ms / 1000);
  tellFigure(figureOf({ what: of, unit: 's', goal: 300 }, seconds));
  const processor = measured.map(({ cpuSeconds }) => cpuSeconds);
  tellFigure(
    figureOf({ what: `${of}: processor, both threads`, unit: 's', goal: null }, processor),
  );
  const peaks = measured.map(({ peakMb }) => peakMb);
  tellFigure(figureOf({ what: `${of}: peak of the process`, unit: 'MB', goal: 300 }, peaks));
};

const importAndReplay = (): void => {
  const folder = values.folder ?? realPath;
  if (folder !== undefined && existsSync(folder)) {
    const imports = rounds('import', folder);
    const what =
      values.folder ?? '113,744 real videos, 349,597 snapshots, 1,150,352 hashtags of theirs';
    const seconds = imports.map(({ ms }) => ms / 1000);
    tellFigure(figureOf({ what: `import of ${what}`, unit: 's', goal: 20 }, seconds));
    const memory = imports.map(({ peakMb }) => peakMb);
    tellFigure(figureOf({ what: 'its memory at most', unit: 'MB', goal: 250 }, memory));
    const cpu = imports.map(({ cpuSeconds }) => cpuSeconds);
    tellFigure(figureOf({ what: 'its processor time, all threads', unit: 's', goal: null }, cpu));
    const writing = imports.map(({ writingSeconds }) => writingSeconds);
    tellFigure(
      figureOf({ what: 'of it in the thread that writes', unit: 's', goal: null }, writing),
    );
  } else console.log('The real data set is not here: --folder names another to import.');
  const replays = rounds('replay', values.pages, 'keep').map(({ ms }) => ms / Number(values.pages));
  tellFigure(
    figureOf(
      {
        what: `replay of ${values.pages} kept pages of 100 over their rows, a page`,
        unit: 'ms',
        goal: 5,
      },
      replays,
    ),
  );
};

try {
  if (values.made === undefined) importAndReplay();
  else await importMade(Number(values.made));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
