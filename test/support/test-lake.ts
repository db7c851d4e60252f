import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveLakeId } from '../../src/lake/meta.ts';
import { LAKE_FILE, type Lake, openLake } from '../../src/lake/open.ts';

let emptyLake: Buffer | undefined;

const makeEmptyLake = (): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-empty-'));
  try {
    const lake = openLake(folder);
    lake.sqlite.exec("delete from meta where key = 'lake_id'"); // its copies are different lakes
    lake.close();
    return readFileSync(join(folder, LAKE_FILE));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Puts an empty lake where there is none: a copy of one that was made once a process, because all
 * migrations take ten times as long.
 */
export const putEmptyLake = (dataDir: string): void => {
  const path = join(dataDir, LAKE_FILE);
  if (existsSync(path)) return;
  emptyLake ??= makeEmptyLake();
  writeFileSync(path, emptyLake, { mode: 0o600 });
};

/** Opens the lake of a folder as `openLake` does; where there is none it begins as a copy of an empty one. */
export const openTestLake = (dataDir: string): Lake => {
  putEmptyLake(dataDir);
  const lake = openLake(dataDir);
  giveLakeId(lake.sqlite);
  return lake;
};
