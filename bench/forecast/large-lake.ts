import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Measured {
  readonly learnt: number;
  readonly forecast: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

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
    for (const name of ['learn', 'night']) {
      const its = JSON.parse(step(name)) as Measured;
      console.log(
        `${name === 'learn' ? 'first learning' : "a night's refresh"}, ${videos} videos: ${its.learnt} models, ${its.forecast} videos forecast: ${its.seconds.toFixed(1)} s, ${its.cpuSeconds.toFixed(1)} s of processor time, peak of the whole process ${its.peakMb.toFixed(0)} MB`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
