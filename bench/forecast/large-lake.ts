import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { tellFigure } from '../all/figure.ts';

interface Measured {
  readonly learnt: number;
  readonly forecast: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

const STEPS = [
  { name: 'learn', what: 'first learning and forecasts', goal: 60 },
  { name: 'night', what: "a night's forecasts", goal: 10 },
] as const;

/** Learning on a made lake of so many videos, ten snapshots each, and a night's refresh of it. */
export const measureLargeLake = (videos: number): void => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-forecast-'));
  const child = fileURLToPath(new URL('./large-lake-child.ts', import.meta.url));
  const step = (name: string): string =>
    execFileSync(process.execPath, [child, name, folder, String(videos)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  try {
    step('make');
    for (const { name, what, goal } of STEPS) {
      const its = JSON.parse(step(name)) as Measured;
      const { learnt, forecast, seconds, cpuSeconds, peakMb } = its;
      console.log(
        `${what}, ${videos} videos: ${learnt} models, ${forecast} videos forecast, ${cpuSeconds.toFixed(1)} s of processor time`,
      );
      const of = `${what}, ${videos} videos and ten snapshots of each`;
      tellFigure({ what: of, unit: 's', goal, median: seconds });
      tellFigure({ what: `${of}: peak of the process`, unit: 'MB', goal: 300, median: peakMb });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
