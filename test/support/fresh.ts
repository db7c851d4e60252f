import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import type { Lake } from '../../src/lake/open.ts';
import { openTestLake, putEmptyLake } from './test-lake.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that is gone when the tests of the file are over. */
export const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-'));
  folders.push(folder);
  return folder;
};

/** A folder with an empty lake, for commands that would make one first. */
export const freshDataDir = (): string => {
  const folder = freshFolder();
  putEmptyLake(folder);
  return folder;
};

/** An empty lake, closed when the test is over. */
export const freshLake = (dataDir = freshFolder()): Lake => {
  const lake = openTestLake(dataDir);
  onTestFinished(() => lake.close());
  return lake;
};
