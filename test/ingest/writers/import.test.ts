import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { countOf, lakeRows } from '../../../fixtures/lake-rows.ts';
import { realPath } from '../../../fixtures/real-data.ts';
import type { ImportSummary } from '../../../src/ingest/imports/import-file.ts';
import { rowsChanged } from '../../../src/ingest/writers/tally.ts';
import { openLake, openLakeForReading } from '../../../src/lake/open.ts';
import { BIN } from '../../support/cli-bin.ts';
import { freshDataDir, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const AT = '2026-03-01T00:00:00Z';

/** Writes a file of an import and imports it. */
const importing = async (name: string, content: string | Buffer, dataDir = freshDataDir()) => {
  const folder = join(dataDir, 'in');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, content);
  const { code, out, err } = await runCommand(['import', path, '--json'], { dataDir });
  return { code, err, path, dataDir, summary: JSON.parse(out) as ImportSummary };
};
const lines = (...rows: unknown[]): string => rows.map((row) => JSON.stringify(row)).join('\n');
const snapshot = (n: number, fields: object = {}) => ({
  id: `tt_${n}`,
  at: AT,
  views: n,
  ...fields,
});

test('the four kinds, by the names of a folder', async () => {
  const dataDir = freshDataDir();
  const folder = join(dataDir, 'in');
  mkdirSync(folder);
  const write = (name: string, row: object) => writeFileSync(join(folder, name), lines(row));
  write('videos.ndjson', {
    id: 'tt_1',
    platform: 'tiktok',
    title: 'A #b',
    user: 'ann',
    tags: ['c'],
    lang: 'en',
  });
  writeFileSync(
    join(folder, 'snapshots.ndjson.gz'),
    gzipSync(lines(snapshot(1, { likes: 1, comments: 4 }))),
  );
  write('hashtags.ndjson', { tag: '#b', platform: 'tiktok', at: AT, views: 7, rank: 2 });
  write('creators.ndjson', { user: '@ann', platform: 'tiktok', at: AT, followers: 9 });
  write('notes.txt', {});
  const { code } = await runCommand(['import', folder], { dataDir });
  expect(code).toBe(0);
  const rows = lakeRows(freshLake(dataDir));
  expect(rows.videos).toMatchObject([
    { id: 'tt_1', title: 'A #b', views: 1, extra: '{"lang":"en"}' },
  ]);
  expect(rows.video_snapshots).toMatchObject([
    { views: 1, engagement_rate: 100, source: 'import', extra: '{"comments":4}' },
  ]);
  expect(rows.video_hashtags).toMatchObject([{ tag: 'c' }]);
  expect(rows.hashtag_snapshots).toMatchObject([{ tag: 'b', views: 7, extra: '{"rank":2}' }]);
  expect(rows.creators).toMatchObject([{ handle: 'ann', followers: 9 }]);
});

describe('a line that cannot be kept costs itself, by file and number', () => {
  test.each([
    ['no JSON', '{"id": "tt_1"', /^not JSON/],
    ['no object', '[1]', /expected a JSON object/],
    ['no id', lines({ at: AT, views: 1 }), /no usable id/],
    ['no platform in the id', lines({ id: 'x', at: AT }), /no platform in the id/],
    ['no time', lines({ id: 'tt_1', at: 'then' }), /no usable "at"/],
  ])('%s', async (_, bad, problem) => {
    const text = `${lines(snapshot(1))}\n${bad}\n\n${lines(snapshot(3))}\n`;
    const { code, summary, dataDir, path } = await importing('snapshots.ndjson', text);
    expect(code).toBe(3);
    expect(summary).toMatchObject({ outcome: 'partial', rejected: 1 });
    expect(summary.problems).toEqual([
      { file: path, line: 2, problem: expect.stringMatching(problem) },
    ]);
    const lake = freshLake(dataDir);
    expect(countOf(lake, 'select count(*) from video_snapshots')).toBe(2);
    expect(lake.sqlite.prepare('select origin, item from rejected_items').all()).toEqual([
      { origin: `${path}:2`, item: bad },
    ]);
  });
});

describe('an id without a prefix: its platform is that of the video', () => {
  const video = lines({ id: 'abc', platform: 'youtube', title: 'Known' });
  const snapshots = lines(snapshot(1), { id: 'abc', at: AT, views: 7, likes: 1 });
  const written = () => {
    const dataDir = freshDataDir();
    const paths = [join(dataDir, 'snapshots.ndjson'), join(dataDir, 'videos.ndjson')] as const;
    writeFileSync(paths[0], snapshots);
    writeFileSync(paths[1], video);
    return { dataDir, snapshots: paths[0], videos: paths[1] };
  };
  const expectSnapshot = (dataDir: string): void => {
    const rows = lakeRows(freshLake(dataDir));
    expect(rows.video_snapshots).toContainEqual(
      expect.objectContaining({ video_id: 'abc', views: 7, likes: 1, source: 'import' }),
    );
    expect(rows.videos).toContainEqual(
      expect.objectContaining({ id: 'abc', platform: 'youtube', title: 'Known', views: 7 }),
    );
  };

  test('of the same import, whichever file is named first', async () => {
    const { dataDir, snapshots, videos } = written();
    const { code, err } = await runCommand(['import', snapshots, videos], { dataDir });
    expect([code, err]).toEqual([0, '']);
    expectSnapshot(dataDir);
  });

  test('of the lake: a snapshot refused before its video came is kept after, and rejected no more', async () => {
    const { dataDir, snapshots, videos } = written();
    expect((await runCommand(['import', snapshots], { dataDir })).code).toBe(3);
    expect((await runCommand(['import', videos], { dataDir })).code).toBe(0);
    expect((await runCommand(['import', snapshots], { dataDir })).code).toBe(0);
    expectSnapshot(dataDir);
    expect(countOf(freshLake(dataDir), 'select count(*) from rejected_items')).toBe(0);
  });
});

test("a hashtag's volume over all platforms, as the lake itself writes it", async () => {
  const overAll = lines({ tag: 'b', platform: '', at: AT, volume: 5 });
  const { code, dataDir } = await importing('hashtags.ndjson', overAll);
  expect(code).toBe(0);
  const rows = lakeRows(freshLake(dataDir));
  expect(rows.hashtag_snapshots).toMatchObject([{ tag: 'b', platform: '', volume: 5 }]);
});

test('a further field is reported twice if two lines differ in it, whatever its name', async () => {
  const tag = { tag: 'b', platform: 'tiktok', at: AT, volume: 5 };
  const named = (value: unknown) => JSON.parse(`{"constructor": 1, "__proto__": ${value}}`);
  const both = lines({ ...tag, ...named(1) }, { ...tag, ...named(2) });
  const { dataDir } = await importing('hashtags.ndjson', both);
  expect(lakeRows(freshLake(dataDir)).hashtag_snapshots).toMatchObject([
    { extra: '{"constructor":1,"__proto__":2,"also":[{"__proto__":1}]}' },
  ]);
});

test('odd fields are null, their originals kept', async () => {
  const odd = { views: -1, likes: 1.5 };
  const { code, dataDir } = await importing('snapshots.ndjson', lines(snapshot(1, odd)));
  expect(code).toBe(0);
  expect(lakeRows(freshLake(dataDir)).video_snapshots).toMatchObject([
    { views: null, likes: null, extra: JSON.stringify({ odd }) },
  ]);
});

describe('files as they come', () => {
  const titles = ['line\u2028separator', 'para\u2029graph', 'next\u0085line', 'feed\fform'];
  const rows = titles.map((title, n) => ({ id: `tt_${n}`, platform: 'tiktok', title }));
  test.each([
    ['with a byte order mark', Buffer.from(`\ufeff${lines(...rows)}`)],
    ['with CRLF', Buffer.from(lines(...rows).replaceAll('\n', '\r\n'))],
    ['with blank lines and no last line feed', Buffer.from(`\n\n${lines(...rows)}`)],
    ['in several gzip members', Buffer.concat(rows.map((row) => gzipSync(`${lines(row)}\n`)))],
  ])('%s', async (what, content) => {
    const name = what.includes('gzip') ? 'videos.ndjson.gz' : 'videos.ndjson';
    const { code, dataDir } = await importing(name, content);
    expect(code).toBe(0);
    const stored = lakeRows(freshLake(dataDir)).videos as { title: string }[];
    expect(stored.map(({ title }) => title)).toEqual(titles);
  });

  test('gzip cut short: lines before the cut are loaded, and the whole file later adds the rest', async () => {
    const all = Array.from({ length: 20_000 }, (_, n) => snapshot(n, { note: n % 97 }));
    const whole = gzipSync(lines(...all));
    const first = await importing('snapshots.ndjson.gz', whole.subarray(0, whole.length / 2));
    expect(first.code).toBe(3);
    expect(first.summary.problems[0]?.problem).toMatch(
      /gzip stream is cut short.*nothing is loaded twice/,
    );
    const loaded = first.summary.rows.video_snapshots.inserted;
    expect(loaded).toBeGreaterThan(1000);
    const second = await importing('snapshots.ndjson.gz', whole, first.dataDir);
    expect(second.code).toBe(0);
    expect(second.summary.rows.video_snapshots.inserted).toBe(20_000 - loaded);
  });

  test('a line of 65 MB ends the reading, in words', async () => {
    const huge = `${lines(snapshot(1))}\n${'x'.repeat(65 << 20)}`;
    const { code, summary } = await importing('snapshots.ndjson', huge);
    expect(code).toBe(3);
    expect(summary.problems[0]?.problem).toMatch(/line is longer than/);
    expect(summary.rows.video_snapshots.inserted).toBe(1);
  });
});

test('the same file again changes nothing; two rows at one instant are one, whichever way', async () => {
  const text = lines(
    snapshot(1, { likes: 5, region: 'de' }),
    snapshot(1, { views: 9, region: 'fr' }),
    snapshot(1, { views: null, likes: 6 }),
  );
  const { dataDir, summary } = await importing('snapshots.ndjson', text);
  expect(summary.rows.video_snapshots).toEqual({ inserted: 1, updated: 0, unchanged: 0 });
  const before = lakeRows(openLake(dataDir));
  expect(before.video_snapshots).toMatchObject([{ views: 9, likes: 6 }]);
  const again = await importing('snapshots.ndjson', text, dataDir);
  expect(again.code).toBe(0);
  expect(rowsChanged(again.summary.rows)).toBe(0);
  expect(lakeRows(freshLake(dataDir))).toEqual(before);
});

test('a kill in the middle loses and repeats nothing', async () => {
  const dataDir = freshDataDir();
  openLake(dataDir).close();
  const path = join(dataDir, 'snapshots.ndjson');
  const all = Array.from({ length: 60_000 }, (_, n) =>
    snapshot(n % 5000, { at: Date.UTC(2026, 0, 1) + n * 60_000 }),
  );
  writeFileSync(path, lines(...all));
  const child = spawn(process.execPath, [BIN, 'import', path], {
    env: { ...process.env, TRENDLAKE_DATA_DIR: dataDir },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit'); // it may be done before it is killed
  const lake = freshLake(dataDir);
  const linesDone = lake.sqlite.prepare('select lines from import_progress').pluck();
  while (linesDone.get() === undefined && child.exitCode === null)
    await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
  await ended;
  const done = Number(linesDone.get() ?? 0);
  expect(countOf(lake, 'select count(*) from video_snapshot')).toBe(done);
  const { code, out } = await runCommand(['import', path, '--json'], { dataDir });
  expect(code).toBe(0);
  expect((JSON.parse(out) as ImportSummary).files).toMatchObject([
    { lines: 60_000, resumedAt: done },
  ]);
  expect(countOf(lake, 'select count(*) from video_snapshot')).toBe(60_000);
  expect(lake.sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
});

test('an import notes how far back and forth its snapshots reach, also of a file that grew', async () => {
  const spans = ({ dataDir }: { dataDir: string }): unknown =>
    freshLake(dataDir)
      .sqlite.prepare('select oldest_at, newest_at from import_progress order by path')
      .raw()
      .all();
  const day = (n: number): number => Date.UTC(2026, 0, n);
  const of = (...days: number[]): string => lines(...days.map((n) => snapshot(n, { at: day(n) })));
  const first = await importing('snapshots.ndjson', of(5, 3, 4));
  expect(spans(first)).toEqual([[day(3), day(5)]]);
  await importing('snapshots.ndjson', of(5, 3, 4, 9, 2), first.dataDir);
  await importing('snapshots.ndjson', `${of(5, 3, 4, 9, 2)}\n{}`, first.dataDir);
  await importing(
    'hashtags.ndjson',
    lines({ tag: 'a', platform: 'tiktok', at: AT }),
    first.dataDir,
  );
  expect(spans(first)).toEqual([
    [null, null],
    [day(2), day(9)],
  ]);
});

test('what names nothing to import is refused before anything is read', async () => {
  const dataDir = freshDataDir();
  writeFileSync(join(dataDir, 'stuff.csv'), '');
  for (const path of ['missing', 'stuff.csv', '.']) {
    const { code, err } = await runCommand(['import', path], { dataDir });
    expect(code).toBe(2);
    expect(err).toMatch(/videos\.ndjson\[\.gz\]/);
  }
});

test.runIf(realPath)('real creators', async () => {
  const dataDir = freshDataDir();
  const path = join(realPath ?? '', 'creators.ndjson.gz');
  const { code, out } = await runCommand(['import', path, '--json'], { dataDir });
  expect(code).toBe(0);
  const { rows, files } = JSON.parse(out) as ImportSummary;
  expect(files[0]?.lines).toBe(40_049);
  expect(rows.creator_snapshots.inserted).toBeGreaterThan(25_000);
});

test('a file without read permission is reported as such, a folder of its name is skipped', async () => {
  const dataDir = freshDataDir();
  const folder = join(dataDir, 'in');
  mkdirSync(join(folder, 'snapshots.ndjson'), { recursive: true });
  symlinkSync('nowhere', join(folder, 'creators.ndjson'));
  const nothing = await runCommand(['import', folder], { dataDir });
  expect([nothing.code, nothing.err]).toEqual([
    2,
    expect.stringMatching(/holds nothing to import/),
  ]);

  symlinkSync('/proc/self/mem', join(folder, 'videos.ndjson')); // a file of which root reads nothing, too
  const { code, err } = await runCommand(['import', join(folder, 'videos.ndjson')], { dataDir });
  const expected = /videos\.ndjson cannot be read: EIO.*Nothing of it was imported/;
  expect([code, err]).toEqual([2, expect.stringMatching(expected)]);
});

test('a device or pipe is refused before it is opened: it may never end', async () => {
  const dataDir = freshDataDir();
  const path = join(dataDir, 'snapshots.ndjson');
  symlinkSync('/dev/zero', path);
  const { code, err } = await runCommand(['import', path], { dataDir });
  expect([code, err]).toEqual([2, expect.stringMatching(/is not a regular file/)]);
});

test('a gzip that unpacks as no observations do is read no further, and says what was read', async () => {
  const blank = Buffer.concat([
    Buffer.from(`${lines(snapshot(1))}\n`),
    Buffer.alloc(80 * 1024 * 1024, ' '),
  ]);
  const { code, summary } = await importing('snapshots.ndjson.gz', gzipSync(blank));
  expect([code, summary.outcome]).toEqual([3, 'partial']);
  expect(summary.rows.video_snapshots.inserted).toBe(1);
  expect(summary.problems).toMatchObject([
    {
      problem: expect.stringMatching(
        /200 times its size \(6\d\.\d MiB out of .*1 lines before are loaded/,
      ),
    },
  ]);
});

describe('ranks of snapshots', () => {
  const ranked = (n: number, fields: object) => snapshot(n, { source: 'daily', ...fields });

  test('become a list of each source and region, once', async () => {
    const rows = lines(
      ranked(1, { rank: 2, region: 'FR' }),
      ranked(2, { rank: 1, region: 'FR' }),
      ranked(1, { rank: 7, region: 'GB' }),
      ranked(3, { rank: 0, region: 'FR' }),
      ranked(1, { rank: 2, region: 'US' }),
    );
    const { dataDir } = await importing('snapshots.ndjson', rows);
    const again = await importing('snapshots.ndjson', rows, dataDir);
    expect(rowsChanged(again.summary.rows)).toBe(0);
    const read = `select group_concat(list || ' ' || period || ' ' || rank || ' ' || video_id, ', ')
      from (select * from rankings order by period, rank)`;
    const lake = openLakeForReading(dataDir);
    expect(lake.sqlite.prepare(read).pluck().get()).toBe(
      'import daily FR 1 tt_2, import daily FR 2 tt_1, import daily GB 7 tt_1, import daily US 2 tt_1',
    );
    lake.close();
  });

  test('of two instants are compared by diff and in list_entries', async () => {
    const later = { at: '2026-03-02T00:00:00Z' };
    const rows = lines(ranked(1, { rank: 1 }), ranked(1, { ...later, rank: 2 }), {
      ...ranked(2, { rank: 1 }),
      ...later,
    });
    const { dataDir } = await importing('snapshots.ndjson', rows);
    const { out } = await runCommand(['diff', AT, later.at, '--json'], { dataDir });
    expect(out).toContain('"daily"');
    const lake = openLakeForReading(dataDir);
    expect(lake.sqlite.prepare('select video_id, rank from list_entries').raw().all()).toEqual([
      ['tt_2', 1],
    ]);
    lake.close();
  });
});
