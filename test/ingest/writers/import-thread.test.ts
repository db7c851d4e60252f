import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { countOf, lakeRows } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import type { ImportDeps } from '../../../src/ingest/imports/import-file.ts';
import { importPaths } from '../../../src/ingest/imports/import-path.ts';
import { importReader } from '../../../src/ingest/imports/import-reader.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';

// Large files are read in a separate thread, small ones in the thread that writes: no difference.

const AT = Date.UTC(2026, 2, 1);
const clock = virtualClock(AT);
const linesOf = (rows: readonly object[]): string =>
  rows.map((row) => JSON.stringify(row)).join('\n');

const VIDEOS = Array.from({ length: 400 }, (_, n) => ({
  id: n % 7 === 0 ? `plain-${n}` : `yt_${n}`,
  platform: 'youtube',
  user: `u${n % 9}`,
  title: `Title ${n} #ünï`,
  firstSeenAt: AT,
  tags: n % 3 === 0 ? ['#a', `b${n % 5}`] : null,
  lang: n % 2 === 0 ? 'en' : null,
  views: 1,
}));
const SNAPSHOTS = Array.from({ length: 11_000 }, (_, n) => ({
  id: VIDEOS[(n * 31) % 400]?.id,
  at: AT + Math.floor(n / 50) * 60_000,
  views: n,
  likes: 1,
  ...(n % 1000 === 17 ? { views: -n, title: `New ${n}` } : { comments: n % 3 }),
}));
/** Two lines of one instant differ, in both places where a batch might end. */
const TWICE = SNAPSHOTS.flatMap((row, n) => (n % 97 === 0 ? [row, { ...row, likes: 2 }] : [row]));

const folderOf = (): string => {
  const folder = freshFolder();
  const write = (name: string, content: string | Buffer) =>
    writeFileSync(join(folder, name), content);
  write('videos.ndjson.gz', gzipSync(linesOf(VIDEOS)));
  write(
    'snapshots.ndjson',
    linesOf(TWICE).replace('\n', '\n{"id": \n[]\n\n{"id":"unknown","at":5}\n'),
  );
  const tags = SNAPSHOTS.slice(0, 300).map(({ at }, n) => ({ tag: `b${n % 5}`, at, volume: n }));
  const volumes = tags.map((tag) => ({ ...tag, platform: 'tiktok', note: 'x' }));
  const cut = gzipSync(linesOf(volumes));
  write('hashtags.ndjson.gz', cut.subarray(0, cut.length - 200));
  write(
    'creators.ndjson',
    linesOf([{ user: '@u1', platform: 'youtube', at: AT, followers: 9, k: 1 }]),
  );
  return folder;
};

const importing = async (folder: string, deps: Partial<ImportDeps>) => {
  const lake = freshLake(freshFolder());
  const summary = await importPaths(lake, [folder], '/', { clock, ...deps });
  return { lake, summary };
};
const HERE = { threadFromBytes: Number.POSITIVE_INFINITY };
const THREAD = { threadFromBytes: 0 };

test('a file read in a separate thread gives the same rows, counts and rejected lines', async () => {
  const folder = folderOf();
  const here = await importing(folder, HERE);
  const thread = await importing(folder, THREAD);
  expect(thread.summary).toEqual(here.summary);
  expect(thread.summary).toMatchObject({ outcome: 'partial', rejected: 3 });
  expect(thread.summary.problems.map(({ line, problem }) => [line, problem.slice(0, 12)])).toEqual([
    [2, 'not JSON: Un'],
    [3, 'expected a J'],
    [5, 'no platform '],
    [expect.any(Number), 'the gzip str'],
  ]);
  expect(lakeRows(thread.lake)).toEqual(lakeRows(here.lake));
});

test('stopped between two transactions, it goes on there', async () => {
  const folder = folderOf();
  const whole = await importing(folder, THREAD);
  const lake = freshLake();
  const stop = new AbortController();
  const onProgress = ({ file, lines }: { file: string; lines: number }): void => {
    if (file.endsWith('snapshots.ndjson') && lines > 0) stop.abort(new Error('stopped here'));
  };
  const stopped = importPaths(lake, [folder], '/', {
    clock,
    onProgress,
    signal: stop.signal,
    ...THREAD,
  });
  await expect(stopped).rejects.toThrow('stopped here');
  const done = countOf(
    lake,
    "select max(lines) from import_progress where path like '%snapshots%'",
  );
  expect(done).toBeGreaterThan(9_000);
  const again = await importPaths(lake, [folder], '/', { clock, ...THREAD });
  expect(again.files[1]).toMatchObject({ resumedAt: done, lines: whole.summary.files[1]?.lines });
  expect(lakeRows(lake)).toEqual(lakeRows(whole.lake));
});

test('a file removed while another is read is reported as removed', async () => {
  const folder = folderOf();
  const onProgress = () => rmSync(join(folder, 'snapshots.ndjson'), { force: true });
  const told = /snapshots\.ndjson cannot be read: ENOENT/;
  await expect(importing(folder, { ...THREAD, onProgress })).rejects.toThrow(told);
});

test('invalid lines fill transactions like valid ones', async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'snapshots.ndjson'), 'x\n'.repeat(70_000));
  const through: number[] = [];
  const onProgress = ({ lines }: { lines: number }): void => void through.push(lines);
  const { summary } = await importing(folder, { ...HERE, onProgress });
  expect(summary).toMatchObject({ outcome: 'partial', rejected: 70_000 });
  expect(through).toEqual([30_000, 60_000, 70_000]);
});

test('signals and timers have their turn between two transactions, however fast the reader is', async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'snapshots.ndjson'), 'x\n'.repeat(160_000));
  const order: string[] = [];
  const onProgress = (): void => {
    order.push('batch');
    setImmediate(() => order.push('turn'));
  };
  await importing(folder, { ...THREAD, onProgress });
  expect(order.join(' ')).toMatch(/^(batch turn ){5}batch/);
});

test('stopped far from its next batch, a thread reads no further', async () => {
  const path = join(freshFolder(), 'videos.ndjson');
  execFileSync('mkfifo', [path]); // a file whose end never comes
  const end = openSync(path, 'r+');
  const stop = new AbortController();
  const reader = importReader(freshLake(), 0, 0);
  const batches = reader.batches({ path, kind: 'videos', resumedAt: 0 }, stop.signal);
  const first = batches[Symbol.asyncIterator]().next();
  stop.abort(new Error('stopped here'));
  writeSync(end, '\n'); // a read under way ends
  await expect(first).rejects.toThrow('stopped here');
  await reader.close();
  closeSync(end);
});
