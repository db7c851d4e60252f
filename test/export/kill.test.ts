import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetMetadata } from 'hyparquet';
import { expect, onTestFinished, test } from 'vitest';
import { virtualClock } from '../../src/clock.ts';
import { exportLake } from '../../src/export/export-lake.ts';
import { expectWhole, folderOf, manifestOf } from './exported-files.ts';
import { filledLake, NOON_AT } from './filled-lake.ts';

/** Reads every file a glob finds, as a stranger would; throws at the first that is not whole. */
const readAll = (folder: string): number => {
  const found = globSync('**/*.parquet', { cwd: folder });
  for (const path of found) {
    const bytes = new Uint8Array(readFileSync(join(folder, path))).buffer;
    expect(Number(parquetMetadata(bytes).num_rows)).toBeGreaterThan(0);
  }
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return found.length;
};

test('an export killed at any point: readers meet whole files only, the next one completes it', async () => {
  const lake = filledLake();
  await exportLake(lake, { clock: virtualClock(NOON_AT) });
  for (const passes of [1, 5, 12, 21]) {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('./export-child.ts', import.meta.url)), lake.dataDir],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    for (let pass = 0; pass < passes; pass++) expect(readAll(folderOf(lake))).toBe(11);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readAll(folderOf(lake))).toBe(11);
  }
  await exportLake(lake, { clock: virtualClock(NOON_AT) });
  expectWhole(lake);
  const resumed = manifestOf(lake);
  await exportLake(lake, { clock: virtualClock(NOON_AT), full: true });
  expect(manifestOf(lake)).toEqual(resumed);
});
