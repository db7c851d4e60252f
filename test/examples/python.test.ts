import { execFileSync, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { filledLake, NOON_AT } from '../output/parquet/filled-lake.ts';

const SCRIPT = join(import.meta.dirname, '../../examples/python/read_trendlake.py');
const PYTHON = 'python3'; // of the system, where there is one
const has = (module: string): boolean => spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;

test.each(['sqlite3', 'pandas', 'polars', 'duckdb'].filter(has))(
  'the Python example reads a lake with %s',
  async (module) => {
    const lake = filledLake(onTestFinished);
    const { folder } = await exportLake(lake, { clock: virtualClock(NOON_AT) });
    const way = module.replace(/3$/, '');
    const out = execFileSync(PYTHON, [SCRIPT, way, dirname(folder)], { encoding: 'utf8' });
    expect(out).toMatch(/first|tiktok|instagram|youtube/);
  },
);

test.runIf(has('sqlite3'))('the Python example prints its usage', () => {
  const { status, stderr } = spawnSync(PYTHON, [SCRIPT, 'nothing'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('Read a lake from Python')]);
});
