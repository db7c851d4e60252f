import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lakeRows } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { parseJson } from '../../../src/base/wire/fields.ts';
import { exportNdjson } from '../../../src/ingest/imports/export-ndjson.ts';
import { importPaths } from '../../../src/ingest/imports/import-path.ts';
import { IMPORT_KINDS } from '../../../src/ingest/imports/import-records.ts';
import { loaderOf } from '../../../src/ingest/writers/loader.ts';
import { type Lake, openLakeForReading } from '../../../src/lake/open.ts';
import { freshDataDir, freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { SEED } from '../../support/seed.ts';
import { openTestLake } from '../../support/test-lake.ts';

const START = Date.UTC(2026, 0, 1);
const clock = virtualClock(START + 90 * DAY_MS);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
const count = maybe(fc.nat(1e12));
const tags = maybe(fc.array(fc.constantFrom('a', 'B', 'b', 'ç', '#d', ''), { maxLength: 5 }));
const extra = maybe(
  fc
    .dictionary(
      fc.constantFrom(
        'lang',
        'x',
        'id',
        'at',
        'tags',
        'views',
        'firstSeenAt',
        'odd,"',
        '__proto__',
      ),
      fc.jsonValue({ maxDepth: 2 }),
      { minKeys: 1, maxKeys: 3 },
    )
    .map((fields) => parseJson(JSON.stringify(fields)) as Record<string, unknown>),
);
const source = fc.constantFrom('feed', 'growth', 'import', 'search');
const rate = maybe(fc.double({ min: 0, max: 200, noNaN: true }).map((number) => number + 0));

const seenWith = (shortestTitle: number) =>
  fc.record({
    n: fc.nat(3),
    title: maybe(fc.string({ unit: 'grapheme', minLength: shortestTitle, maxLength: 12 })),
    user: maybe(fc.constantFrom('ann', 'Bob', 'c.d')),
    createdAt: maybe(fc.constantFrom(START - DAY_MS, START - 3)),
    views: count,
    likes: count,
    engagementRate: rate,
    hashtags: tags,
    extra,
    snapshotExtra: extra,
    source: maybe(source),
  });
const creator = fc.record({
  handle: fc.constantFrom('ann', 'bob'),
  followers: count,
  videoCount: count,
  views: count,
  likes: count,
  engagementRate: rate,
  extra,
  snapshotExtra: extra,
  source,
});
const volume = fc.record({
  tag: fc.constantFrom('a', 'B', 'e'),
  platform: fc.constantFrom('tiktok' as const, 'youtube' as const, '' as const),
  volume: count,
  views: count,
  rank: maybe(fc.integer({ min: 1, max: 50 })),
  extra,
  change: maybe(fc.double({ min: -1, max: 1e6, noNaN: true }).map((number) => number + 0)),
  window: maybe(fc.constantFrom('30d', '7d')),
  source: fc.constantFrom('hashtags' as const, 'seen' as const, 'import' as const),
});
const historyWith = (shortestTitle: number) =>
  fc.array(fc.tuple(seenWith(shortestTitle), creator, volume), { maxLength: 12 });
type History = ReturnType<typeof historyWith> extends fc.Arbitrary<infer T> ? T : never;

/** Loads observations in time order, as nights of pulls do. */
const load = (lake: Lake, nights: History): void => {
  const loader = loaderOf(lake);
  for (const [n, [{ n: id, source: from, ...video }, profile, hashtag]] of nights.entries()) {
    const at = START + n * 3_600_007;
    const counts = from === null ? { views: null, likes: null, engagementRate: null } : {};
    const observed = { ...video, ...counts, id: `tt_${id}`, platform: 'tiktok' as const };
    loader.transaction(
      (tally) => {
        loader.write(observed, from === null ? { at, source: null } : { at, source: from }, tally);
        loader.creators.write(
          { ...profile, platform: 'tiktok', at, growth: [] },
          profile.source,
          tally,
        );
        loader.hashtags.write({ ...hashtag, at }, tally);
      },
      () => {},
    );
  }
};

const exported = async (dataDir: string): Promise<string> => {
  const folder = freshFolder();
  const lake = openLakeForReading(dataDir);
  const { signal } = new AbortController();
  await exportNdjson(lake, folder, { clock, signal, onProgress: () => {} });
  lake.close();
  return folder;
};

const textsOf = (folder: string): string[] =>
  IMPORT_KINDS.map((kind) =>
    gunzipSync(readFileSync(join(folder, `${kind}.ndjson.gz`))).toString(),
  );

const cellOf = (value: unknown, isText: boolean): string => {
  const cell: string | undefined =
    isText && typeof value === 'string' ? value : JSON.stringify(value);
  return cell === undefined ? '' : `"${cell.replaceAll('"', '""')}"`;
};
const TEXTS: Record<string, string[]> = {
  videos: ['id', 'platform', 'title', 'user', 'createdAt'],
  snapshots: ['id', 'at'],
  hashtags: ['tag', 'platform', 'at'],
  creators: ['user', 'platform', 'at'],
};

/** The lines of a file as CSV with a column for each field. */
const csvOf = (ndjson: string, kind: string): string => {
  const lines = ndjson.split('\n').filter((line) => line !== '');
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) =>
    names.map((name) =>
      cellOf(
        Object.hasOwn(row, name) ? row[name] : undefined,
        TEXTS[kind]?.includes(name) === true,
      ),
    ),
  );
  return [names.map((name) => cellOf(name, true)), ...cells]
    .map((row) => row.join(','))
    .join('\r\n');
};

const imported = async (folder: string): Promise<string> => {
  const dataDir = freshFolder();
  const lake = openTestLake(dataDir);
  const summary = await importPaths(lake, [folder], '/', { clock });
  expect(summary.problems).toEqual([]);
  lake.close();
  return dataDir;
};

/** The rows that imports bring; a hashtag's first sight is that of the first line loaded. */
const rowsOf = (dataDir: string): Record<string, unknown> => {
  const lake = openLakeForReading(dataDir);
  const { hashtags, ...rows } = lakeRows(lake);
  lake.close();
  const unseen = hashtags?.map((row) => ({ ...(row as object), first_seen_at: null }));
  return { ...rows, hashtags: unseen };
};

test('a lake exported and imported again holds the same rows', async () => {
  await fc.assert(
    fc.asyncProperty(historyWith(0), async (nights) => {
      const dataDir = freshFolder();
      const lake = openTestLake(dataDir);
      load(lake, nights);
      lake.close();
      const folder = await exported(dataDir);
      const again = await imported(folder);
      expect(rowsOf(again)).toEqual(rowsOf(dataDir));
      const linesOf = (text: string): string[] => text.split('\n').sort();
      expect(textsOf(await exported(again)).map(linesOf)).toEqual(textsOf(folder).map(linesOf));
    }),
    { numRuns: 40, seed: SEED },
  );
}, 240_000);

/** Columns of CSV have one order for all rows, so fields of JSON may come in another order. */
const withParsedJson = (rows: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify(rows), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value,
  );

test('the same lines as CSV bring the same rows', async () => {
  await fc.assert(
    fc.asyncProperty(historyWith(1), async (nights) => {
      const dataDir = freshFolder();
      const lake = openTestLake(dataDir);
      load(lake, nights);
      lake.close();
      const texts = textsOf(await exported(dataDir));
      const folder = join(freshFolder(), 'csv');
      mkdirSync(folder);
      for (const [index, kind] of IMPORT_KINDS.entries())
        if (texts[index] !== '')
          writeFileSync(join(folder, `${kind}.csv`), csvOf(texts[index] ?? '', kind));
      writeFileSync(join(folder, 'videos.ndjson'), '');
      const again = await imported(folder);
      expect(withParsedJson(rowsOf(again))).toEqual(withParsedJson(rowsOf(dataDir)));
    }),
    { numRuns: 40, seed: SEED },
  );
}, 240_000);

test('export --ndjson writes what import reads', async () => {
  const dataDir = freshDataDir();
  const lines = join(dataDir, 'videos.ndjson');
  writeFileSync(lines, '{"id":"tt_1","title":"A","firstSeenAt":"2026-01-01T00:00:00.000Z"}\n');
  await runCommand(['import', lines], { dataDir });
  const { code, out } = await runCommand(['export', '--ndjson', 'out'], { dataDir });
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/videos +1 line\n.*creators +0 lines\nWrote/s),
  ]);
  expect(rowsOf(await imported(join(dataDir, 'out')))).toEqual(rowsOf(dataDir));
  writeFileSync(join(dataDir, 'file'), '');
  const refused = await runCommand(['export', '--ndjson', 'file/out'], { dataDir });
  expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/cannot be written/)]);
});
