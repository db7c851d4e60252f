import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { countOf, lakeRows } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import type { ImportSummary } from '../../../src/ingest/imports/import-file.ts';
import { importPaths } from '../../../src/ingest/imports/import-path.ts';
import { freshDataDir, freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const importing = async (files: Record<string, string | Buffer>, args: string[] = []) => {
  const dataDir = freshDataDir();
  const folder = join(dataDir, 'in');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { code, out, err } = await runCommand(['import', folder, '--json', ...args], { dataDir });
  const { problems = [] } = JSON.parse(out || '{}') as Partial<ImportSummary>;
  return { code, err, dataDir, problems: problems.map(({ line, problem }) => [line, problem]) };
};

test('imports the four kinds, with quoted cells over lines and other separators', async () => {
  const { code, dataDir } = await importing({
    'videos.csv':
      '\ufeffid,platform,title,user,tags,lang\r\n"tt_1",tiktok,"A ""b"",\r\nc",ann,d;e,en\r\n',
    'snapshots.csv.gz': gzipSync('id;at;views;likes;comments\ntt_1;2026-03-01;10;1;4\n'),
    'hashtags.csv': 'tag,platform,at,volume\nb,tiktok,2026-03-01T00:00:00Z,7\n',
    'creators.csv': 'user\tplatform\tat\tfollowers\n@ann\ttiktok\t1772323200\t9\n',
  });
  expect(code).toBe(0);
  const rows = lakeRows(freshLake(dataDir));
  expect(rows.videos).toMatchObject([
    { id: 'tt_1', title: 'A "b",\nc', user: 'ann', views: 10, extra: '{"lang":"en"}' },
  ]);
  expect(rows.video_hashtags).toMatchObject([{ tag: 'd' }, { tag: 'e' }]);
  expect(rows.video_snapshots).toMatchObject([{ views: 10, likes: 1, extra: '{"comments":4}' }]);
  expect(rows.hashtag_snapshots).toMatchObject([{ tag: 'b', volume: 7 }]);
  expect(rows.creators).toMatchObject([{ handle: 'ann', followers: 9 }]);
});

test('--map names the columns of another export', async () => {
  const { code, dataDir } = await importing(
    { 'snapshots.csv': 'video,day,plays\ntt_1,2026-03-01,5\n' },
    ['--map', 'id=video', '--map', 'at=day', '--map', 'views=plays'],
  );
  expect(code).toBe(0);
  expect(lakeRows(freshLake(dataDir)).video_snapshots).toMatchObject([
    { video_id: 'tt_1', views: 5 },
  ]);
});

test('a row that cannot be kept costs itself, by line', async () => {
  const { code, problems, dataDir } = await importing({
    'snapshots.csv': [
      'id,at,views',
      'tt_1,2026-03-01,1',
      'tt_2,2026-03-01,12k',
      '',
      'tt_3,then,3',
      'tt_4,2026-03-01,4,5',
      'tt_5,2026-03-01,5;" more',
      '"tt',
      '_6",2026-03-01,6',
      ',2026-03-01,7',
      'tt_8,2026-03-01,8',
    ].join('\n'),
  });
  expect(code).toBe(3);
  expect(problems).toEqual([
    [3, 'views must be a whole number. It is "12k"'],
    [5, 'at must be ISO 8601 or a Unix time. It is "then"'],
    [6, '4 cells, but the header has 3 columns'],
    [7, expect.stringMatching(/^not CSV: Invalid Opening Quote/)],
    [8, expect.stringMatching(/^no platform in the id/)],
    [10, expect.stringMatching(/^no usable id/)],
  ]);
  expect(countOf(freshLake(dataDir), 'select count(*) from video_snapshots')).toBe(2);
});

describe('a header that cannot be right loads nothing and says why', () => {
  test.each([
    [
      'no id',
      'video,at\ntt_1,2026-03-01\n',
      [],
      /no column "id"; it has video, at.*--map id=COLUMN/,
    ],
    [
      'no such column',
      'id,at,plays\n',
      ['--map', 'views=play'],
      /no column "play".*Did you mean plays/,
    ],
    ['two for one', 'id,at,at\n', [], /two columns for "at"/],
    [
      'an open quote',
      'id,at,title\ntt_1,2026-03-01,"a\ntt_2,2026-03-01,b\n',
      [],
      /not CSV: Quote Not Closed/,
    ],
  ])('%s', async (_, text, args, problem) => {
    const { code, problems, dataDir } = await importing({ 'snapshots.csv': text }, args);
    expect(code).toBe(3);
    expect(problems).toEqual([[expect.any(Number), expect.stringMatching(problem)]]);
    expect(countOf(freshLake(dataDir), 'select count(*) from video_snapshots')).toBe(0);
  });
});

test.each(['plays', 'view=plays', 'views='])('--map %s is refused', async (map) => {
  const { code, err } = await importing({ 'snapshots.csv': 'id,at\n' }, ['--map', map]);
  expect([code, err]).toEqual([2, expect.stringMatching(/--map/)]);
});

test('--map is refused where no file is CSV', async () => {
  const { code, err } = await importing({ 'snapshots.ndjson': '' }, ['--map', 'views=plays']);
  expect([code, err]).toEqual([2, expect.stringMatching(/no file is CSV/)]);
});

test('an interrupted import goes on at its row, also after rows of several lines', async () => {
  const folder = freshFolder();
  const rows = Array.from({ length: 25_000 }, (_, n) => `tt_${n},${n + 1},"a\n${n}",${n}`);
  writeFileSync(join(folder, 'snapshots.csv'), `id,at,title,views\n${rows.join('\n')}\n`);
  const clock = virtualClock(Date.UTC(2026, 2, 1));
  const dataDir = freshDataDir();
  const lake = freshLake(dataDir);
  const stop = new AbortController();
  const onProgress = () => stop.abort(new Error('stopped'));
  const { signal } = stop;
  await expect(importPaths(lake, [folder], '/', { clock, signal, onProgress })).rejects.toThrow();
  const some = countOf(lake, 'select count(*) from video_snapshots');
  expect([some > 0, some < rows.length]).toEqual([true, true]);
  const { files, rows: written } = await importPaths(lake, [folder], '/', { clock });
  expect(files[0]?.resumedAt).toBe(1 + 2 * some);
  expect(written.video_snapshots).toMatchObject({ inserted: rows.length - some });
  const sums = 'select count(*) || sum(views) || sum(length(title)) from videos';
  expect(lake.sqlite.prepare(sums).pluck().get()).toBe(
    `25000${(25_000 * 24_999) / 2}${rows.reduce((sum, _, n) => sum + 2 + String(n).length, 0)}`,
  );
});
