import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PRELOAD = new URL('./report-peak.ts', import.meta.url).href;

/**
 * Runs a command line of trendlake, as `sh` reads it (`trendlake` is replaced by the program), over
 * a data directory: elapsed time, processor time and the peaks of its processes together.
 * @throws Error if it fails
 */
export const runCommand = (
  dataDir: string,
  line: string,
): { ms: number; processorMs: number; peakMb: number } => {
  const peaks = join(dataDir, 'peaks.txt');
  rmSync(peaks, { force: true });
  const program = `'${process.execPath}' '${join(ROOT, 'src', 'cli', 'bin.js')}'`;
  const from = performance.now();
  const { status, stderr } = spawnSync(
    'bash',
    ['-o', 'pipefail', '-c', line.replaceAll('trendlake', program)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        PEAKS: peaks,
        NODE_OPTIONS: `--import=${PRELOAD}`,
        TRENDLAKE_DATA_DIR: dataDir,
      },
    },
  );
  const ms = performance.now() - from;
  if (status !== 0) throw new Error(`\`${line}\` ended with ${status}: ${stderr}`);
  let [peakMb, processorMs] = [0, 0];
  for (const told of readFileSync(peaks, 'utf8').trim().split('\n')) {
    const [kilobytes, micros] = told.split(' ').map(Number) as [number, number];
    peakMb += kilobytes / 1024;
    processorMs += micros / 1000;
  }
  return { ms, processorMs, peakMb };
};
