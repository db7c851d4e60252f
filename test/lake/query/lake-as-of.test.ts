import { expect, test } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { engagementRate } from '../../../src/base/wire/engagement-rate.ts';
import { loaderOf } from '../../../src/ingest/writers/loader.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { readVideosOnce, showLakeAsOf } from '../../../src/lake/query/lake-as-of.ts';
import { RandomStream } from '../../../src/sandbox/world/random-stream.ts';
import { draws } from '../../support/draws.ts';
import { freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const T0 = Date.UTC(2026, 2, 1);
const HOURS = 60;

/** One fact, and the instant at which it was true. */
interface Fact {
  readonly at: number;
  readonly load: (lake: Lake) => void;
}

/** Facts about few subjects, so that titles, handles, tags, fields and counts change often. */
const factsOf = (seed: number): Fact[] => {
  const random = new RandomStream(0xa5, seed);
  const pick = <T>(values: readonly T[]): T =>
    values[Math.min(values.length - 1, Math.floor(random.next() * values.length))] as T;
  const videoFact = (at: number, id: string): Fact => {
    const counts = { views: pick([null, 200, 300, 50]), likes: pick([null, 5, 7]) };
    const observed = {
      id,
      platform: 'tiktok' as const,
      title: pick(['one', 'two', 'three']),
      user: pick(['ann', 'bob', 'Ann']),
      createdAt: T0 - HOUR_MS,
      ...counts,
      engagementRate: engagementRate(counts),
      hashtags: pick([['a'], ['b', 'a'], ['c'], []]),
      extra: pick([null, { lang: 'de' }, { lang: 'fr', n: 1 }, { n: [1, 'x"y', null, true] }]),
      snapshotExtra: null,
    };
    return {
      at,
      load: (lake) =>
        loaderOf(lake).transaction(
          (tally) => loaderOf(lake).write(observed, { at, source: 'import' }, tally),
          () => {},
          'now',
          T0,
        ),
    };
  };
  const facts = Array.from({ length: 60 }, (_, index): Fact => {
    const at = T0 + Math.floor(random.next() * HOURS) * HOUR_MS + index; // no two at one instant
    if (random.chance(0.7)) return videoFact(at, pick(['tt_1', 'tt_2', 'tt_3', 'tt_4']));
    if (random.chance(0.5)) {
      const volume = { tag: pick(['a', 'b']), platform: '' as const, volume: index, window: '30d' };
      return { at, load: (lake) => new LakeBuilder(lake).hashtag({ at, ...volume }) };
    }
    const handle = pick(['ann', 'bob']);
    const profile = { rate: pick([1, 2]), extra: pick([null, { bio: 'x' }, { bio: 'y' }]) };
    const snapshots = [[at, pick([null, 10, 20]), 3]] as const;
    return {
      at,
      load: (lake) =>
        new LakeBuilder(lake).creator({ platform: 'tiktok', handle, ...profile, snapshots }),
    };
  });
  const pulls = [12, 30, 45].map((hour): Fact => {
    const at = T0 + hour * HOUR_MS + 500;
    const list = { list: 'trends', platform: 'tiktok', period: 'day', total: 2 } as const;
    const ids = hour === 30 ? ['tt_5'] : ['tt_6', 'tt_5'];
    return {
      at,
      load: (lake) => {
        const builder = new LakeBuilder(lake);
        const keys = ids.map((id) => builder.video({ id, snapshots: [[at, 10 + hour]] }));
        const ranks = keys.map((videoKey, index) => ({ rank: index + 1, videoKey }));
        builder.list({ ...list, at, ranks });
      },
    };
  });
  return [...facts, ...pulls].sort((a, b) => a.at - b.at);
};

const parsed = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== 'position') // revisions keep the order of tags, not the numbers
      .map(([name, value]) => [
        name,
        name === 'extra' && typeof value === 'string' ? JSON.parse(value) : value,
      ]),
  );

/** Rows of every public view, in a fixed order. */
const rowsOf = ({ sqlite }: Pick<Lake, 'sqlite'>): Record<string, unknown[]> => {
  const views = sqlite
    .prepare("select name from main.sqlite_schema where type = 'view' order by name")
    .pluck()
    .all() as string[];
  return Object.fromEntries(
    views.map((view) => [
      view,
      (sqlite.prepare(`select * from "${view}"`).all() as Record<string, unknown>[])
        .map(parsed)
        .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    ]),
  );
};

test('every public view as of an instant equals that of a lake that ends there', () => {
  for (let seed = 0; seed < draws(24); seed++) {
    const facts = factsOf(seed);
    const whole = freshLake();
    for (const { load } of facts) load(whole);
    const at = T0 + (8 + ((seed * 7) % 50)) * HOUR_MS;
    const cut = freshLake();
    for (const fact of facts) if (fact.at <= at) fact.load(cut);
    const then = openLakeForReading(whole.dataDir);
    showLakeAsOf(then.sqlite, at);
    expect(rowsOf(then), `seed ${seed}`).toEqual(rowsOf(cut));
    readVideosOnce(then.sqlite, 'select sum(views) from videos');
    expect(rowsOf(then), `seed ${seed}, figures computed once`).toEqual(rowsOf(cut));
    then.close();
  }
});

test('an instant changes nothing in the lake, and indexes are still used', () => {
  const lake = freshLake();
  for (const { load } of factsOf(1)) load(lake);
  const { sqlite } = openLakeForReading(lake.dataDir);
  showLakeAsOf(sqlite, T0 + 20 * HOUR_MS);
  expect(() => sqlite.prepare('delete from video').run()).toThrow();
  const plan = (sql: string): string =>
    (sqlite.prepare(`explain query plan ${sql}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join('\n');
  expect(plan("select * from videos where id = 'tt_1'")).toMatch(
    /SEARCH video_then USING INDEX video_id/,
  );
  expect(plan("select * from video_snapshots where video_id = 'tt_1'")).not.toMatch(/SCAN (?!c|j)/);
  sqlite.close();
});

test('only a question that reads every video computes the figures of each once', () => {
  const { sqlite } = openLakeForReading(freshLake().dataDir);
  showLakeAsOf(sqlite, T0);
  const sum = 'select sum(views) from videos where views > 0';
  const computed = (sql: string): number =>
    (sqlite.prepare(`explain ${sql}`).all() as { opcode: string; p4: string }[]).filter(
      ({ opcode, p4 }) => opcode === 'OpenRead' && p4 !== '',
    ).length;
  readVideosOnce(sqlite, "select views from videos where id = 'tt_1'");
  const repeated = computed(sum);
  readVideosOnce(sqlite, sum);
  expect(computed(sum)).toBeLessThan(repeated);
  readVideosOnce(sqlite, 'explain select 1');
  readVideosOnce(sqlite, 'pragma user_version');
  sqlite.close();
});

test('query --as-of answers as the lake was known then, and refuses text that is not an instant', async () => {
  const lake = freshLake();
  new LakeBuilder(lake).video({
    id: 'tt_1',
    snapshots: [
      [T0, 10],
      [T0 + 5 * HOUR_MS, 90],
    ],
  });
  const { dataDir } = lake;
  const sql = 'select views from videos';
  const then = await runCommand(['query', '--as-of', '2026-03-01T01:00:00Z', sql, '--json'], {
    dataDir,
  });
  expect(JSON.parse(then.out)).toEqual([{ views: 10 }]);
  const before = await runCommand(['query', '--as-of', '2026-02-01', sql, '--json'], { dataDir });
  expect(JSON.parse(before.out)).toEqual([]);
  expect(await runCommand(['query', '--as-of', 'soon', sql], { dataDir })).toMatchObject({
    code: 2,
  });
});
