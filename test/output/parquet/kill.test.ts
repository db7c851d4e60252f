import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetMetadata } from 'hyparquet';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { type Lake, openLake } from '../../../src/lake/open.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { runDying } from '../../support/dying-process.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { expectWhole, folderOf, manifestOf } from './exported-files.ts';
import { filledLake, NOON_AT } from './filled-lake.ts';
import { touch } from './touch.ts';

const sumOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');
const ONCE = join(import.meta.dirname, 'export-once-child.ts');

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
  const { files } = await exportLake(lake, { clock: virtualClock(NOON_AT) });
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
    for (let pass = 0; pass < passes; pass++) expect(readAll(folderOf(lake))).toBe(files);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readAll(folderOf(lake))).toBe(files);
  }
  await exportLake(lake, { clock: virtualClock(NOON_AT) });
  expectWhole(lake);
  const resumed = manifestOf(lake);
  await exportLake(lake, { clock: virtualClock(NOON_AT), full: true });
  expect(manifestOf(lake)).toEqual(resumed);
});

/**
 * Changes a lake, so that an export puts files in place; a day has become empty, so that a file
 * goes.
 */
const change = (lake: Lake): void => {
  lake.sqlite.exec(
    `update video set title = 'changed'; delete from video_snapshot where observed_at > ${NOON_AT + 170_000_000}`,
  );
  touch(lake, 'videos', '');
  touch(lake, 'video_snapshots', '2026-03-03');
};
const GONE = 'video_snapshots/date=2026-03-03/video_snapshots.parquet';

describe('an export that dies at a named point', () => {
  let changed: string; // exported, then changed
  let before: Map<string, string>;
  let after: Map<string, string>;
  const sumsOf = (lake: Lake) =>
    new Map(manifestOf(lake).map(({ path, sha256 }) => [path, sha256]));
  const copyOf = (dataDir: string): string => {
    const copy = freshFolder();
    cpSync(dataDir, copy, { recursive: true });
    return copy;
  };

  beforeAll(async () => {
    const cleaning: (() => void)[] = [];
    const lake = filledLake((clean) => cleaning.push(clean));
    await exportLake(lake, { clock: virtualClock(NOON_AT) });
    before = sumsOf(lake);
    change(lake);
    lake.sqlite.pragma('wal_checkpoint(truncate)');
    changed = copyOf(lake.dataDir);
    const done = openLake(copyOf(changed));
    await exportLake(done, { clock: virtualClock(NOON_AT) });
    after = sumsOf(done);
    done.close();
    for (const clean of cleaning.reverse()) clean();
  });

  test.each([
    'before write .videos.parquet.tmp',
    'after write .videos.parquet.tmp',
    'before fsync .videos.parquet.tmp',
    'after fsync .videos.parquet.tmp',
    'before rename .videos.parquet.tmp',
    'after rename .videos.parquet.tmp',
    'before fsync videos',
    'after fsync videos',
    'before write .manifest.json.tmp',
    'after write .manifest.json.tmp',
    'before fsync .manifest.json.tmp',
    'after fsync .manifest.json.tmp',
    'before rename .manifest.json.tmp',
    'after rename .manifest.json.tmp',
    'before rm video_snapshots.parquet',
    'after rm video_snapshots.parquet',
    'before prepare delete from touched_partitions',
  ])(
    '%s: whole files, old or new; what the manifest names stands; the next one completes it',
    async (point) => {
      const dataDir = copyOf(changed);
      expect(await runDying(ONCE, [dataDir], { dieAt: point })).toBe('SIGKILL');
      const lake = freshLake(dataDir);
      const named = sumsOf(lake);
      expect([before, after]).toContainEqual(named);
      const files = globSync('**/*.parquet', { cwd: folderOf(lake) });
      for (const path of files) {
        const sum = sumOf(join(folderOf(lake), path));
        expect([before.get(path), after.get(path)]).toContain(sum);
      }
      expect(files).toEqual(expect.arrayContaining([...named.keys()]));
      await exportLake(lake, { clock: virtualClock(NOON_AT) });
      expectWhole(lake);
      expect(sumsOf(lake)).toEqual(after);
      expect(countOf(lake, 'select count(*) from touched_partitions')).toBe(0);
    },
  );

  test('its order on the disk survives a power cut: bytes, then name, then manifest, then what goes', async () => {
    const dataDir = copyOf(changed);
    const stepsTo = join(freshFolder(), 'steps');
    expect(await runDying(ONCE, [dataDir], { stepsTo })).toBe(0);
    const steps = readFileSync(stepsTo, 'utf8')
      .split('\n')
      .filter((step) => /^after (write|fsync|rename|rm) (?!.*lock)/.test(step))
      .map((step) => step.slice('after '.length))
      .filter((step, at, all) => step !== all[at - 1]);
    const from = steps.lastIndexOf('write .videos.parquet.tmp');
    // the day that became empty is given up beside it, at no certain moment
    const rest = steps.slice(from).filter((step) => step !== 'rm .video_snapshots.parquet.tmp');
    expect(rest).toEqual([
      'write .videos.parquet.tmp',
      'fsync .videos.parquet.tmp',
      'rename .videos.parquet.tmp',
      'rm .videos.parquet.tmp',
      'fsync videos',
      'write .manifest.json.tmp',
      'fsync .manifest.json.tmp',
      'rename .manifest.json.tmp',
      'rm .manifest.json.tmp',
      'fsync parquet',
      'rm video_snapshots.parquet',
    ]);
    expect(existsSync(join(dataDir, 'parquet', GONE))).toBe(false);
  });
});
