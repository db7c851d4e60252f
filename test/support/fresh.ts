import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Lake, openLake } from '../../src/lake/open.ts';

// Memory where there is some: hundreds of small lakes would wait for the disk's fsync otherwise.
const BASE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that is gone when the process of the test file ends. */
export const freshFolder = (): string => {
  const folder = mkdtempSync(join(BASE, 'trendlake-'));
  folders.push(folder);
  return folder;
};

/** An empty lake, closed when the test is over. */
export const freshLake = (dataDir = freshFolder()): Lake => {
  const lake = openLake(dataDir);
  onTestFinished(() => lake.close());
  return lake;
};
