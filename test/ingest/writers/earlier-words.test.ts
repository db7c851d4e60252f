import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answeredCall } from '../../../fixtures/answered-call.ts';
import { lakeRows } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import { countsOnly } from '../../../src/base/wire/observation.ts';
import { loadResponse } from '../../../src/ingest/responses/load-response.ts';
import { replayResponses } from '../../../src/ingest/responses/replay.ts';
import { loaderOf } from '../../../src/ingest/writers/loader.ts';
import { computeList } from '../../../src/lake/lists/computed-list.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { required } from '../../../src/lake/prepare.ts';
import { creatorProfile } from '../../../src/lake/read/creator-profile.ts';
import { videoByIdAsOf, videoRecord } from '../../../src/lake/read/timeline.ts';
import { searchPage } from '../../../src/lake/search/search.ts';
import { requestLine } from '../../../src/upstream/request.ts';
import { draws } from '../../support/draws.ts';
import { freshDataDir, freshLake } from '../../support/fresh.ts';
import { FEED, responseOf } from '../../support/responses.ts';
import { runCommand } from '../../support/run-command.ts';

// Words are kept as of the instant they were stated at, in whatever order lists and imports are loaded.

const AT = Date.UTC(2026, 2, 1, 12);
const ID = 'tt_1';
const OLD = { title: 'old #ramen', user: 'mika', hashtags: ['ramen'] };
const NEW = { title: 'new #cat', user: 'wren', hashtags: ['cat'] };
const wordsAt = (lake: Lake, at: number) => {
  const { key } = required(videoByIdAsOf(lake, ID, at));
  const { title, user, hashtags } = videoRecord(lake, key, at);
  return { title, user, hashtags };
};

/** Loads a page of the feed as a run does that asked for nothing else. */
const loadFeed = (lake: Lake, item: object, at: number): void => {
  const line = requestLine(FEED);
  const id = Number(
    lake.sqlite
      .prepare(
        "insert into runs (started_at, outcome, heartbeat_at, jobs) values (0, 'complete', 0, '[]')",
      )
      .run().lastInsertRowid,
  );
  lake.sqlite
    .prepare(
      "insert into calls (id, run_id, job, request, sent_at, sender) values (?, ?, 'feed', ?, ?, 'test')",
    )
    .run(id, id, line, at);
  lake.sqlite
    .prepare(
      "insert into run_items (run_id, job, request, request_json, position, state, attempts) values (?, 'feed', ?, ?, 0, 'done', 1)",
    )
    .run(id, line, JSON.stringify(FEED));
  const response = responseOf({ total: 1, items: [{ id: ID, ...item }], asOf: isoOf(at) });
  loadResponse(
    lake,
    answeredCall({ runId: id, request: FEED, response, callId: id, receivedAt: at }),
  );
};

const found = (lake: Lake, q: string, asOf: number): number =>
  searchPage(lake, { q, limit: 9, page: 1, asOf, deadlineMs: 60_000 }, virtualClock(AT + DAY_MS))
    .total;

const counted = (lake: Lake, asOf: number): unknown[] =>
  computeList(lake, {
    wanted: { list: 'hashtags', platform: '', windowMs: 7 * DAY_MS },
    asOf,
    from: 0,
    count: 9,
  }).items.map((item) => ('tag' in item ? [item.tag, item.volume] : item));

test('a list loaded after a later one: its words then, the later ones now, in lists and search', () => {
  const lake = freshLake();
  loadFeed(lake, { ...NEW, views: 9 }, AT);
  loadFeed(lake, { ...OLD, views: 5 }, AT - DAY_MS);
  expect(wordsAt(lake, AT - 1)).toEqual(OLD);
  expect(wordsAt(lake, AT)).toEqual({ ...NEW, hashtags: ['cat', 'ramen'] });
  expect(found(lake, 'old', AT - 1)).toBe(1);
  expect(found(lake, 'new', AT - 1)).toBe(0);
  expect([found(lake, 'old', AT), found(lake, 'new', AT)]).toEqual([0, 1]);
  expect(counted(lake, AT - 1)).toEqual([['ramen', 1]]);
  expect(counted(lake, AT)).toEqual([
    ['cat', 1],
    ['ramen', 1],
  ]);

  const before = lakeRows(lake);
  loadFeed(lake, { ...OLD, views: 5 }, AT - DAY_MS);
  expect(lakeRows(lake)).toEqual(before);
});

test('a replay, whose bodies are as old as the lists were, gives the same words', async () => {
  const lake = freshLake();
  loadFeed(lake, { ...NEW, views: 9 }, AT);
  loadFeed(lake, { title: 'between', user: 'mika', views: 7 }, AT - HOUR_MS);
  loadFeed(lake, { ...OLD, views: 5 }, AT - DAY_MS);
  const rebuilt = freshLake();
  expect(await replayResponses(lake, rebuilt)).toMatchObject({ answers: 3, rejected: 0 });
  for (const at of [AT - DAY_MS, AT - HOUR_MS - 1, AT - HOUR_MS, AT - 1, AT])
    expect(wordsAt(lake, at).title).toBe(wordsAt(rebuilt, at).title);
  expect(wordsAt(lake, AT - HOUR_MS).title).toBe('between');
  const before = lakeRows(lake);
  await replayResponses(lake, lake);
  expect(lakeRows(lake)).toEqual(before);
});

test('an older set imported after lists, twice: its words then, the later ones now', async () => {
  const dataDir = freshDataDir();
  const lake = freshLake(dataDir);
  loadFeed(lake, { ...NEW, views: 9 }, AT);
  lake.close();
  const folder = join(dataDir, 'in');
  mkdirSync(folder);
  const write = (name: string, rows: object[]) =>
    writeFileSync(join(folder, name), rows.map((row) => JSON.stringify(row)).join('\n'));
  const [first, second] = [3, 2].map((days) => isoOf(AT - days * DAY_MS));
  const { hashtags: tags, ...old } = OLD;
  write('videos.ndjson', [{ id: ID, platform: 'tiktok', ...old, tags, firstSeenAt: first }]);
  write('snapshots.ndjson', [
    { id: ID, at: first, views: 1 },
    { id: ID, at: second, views: 2, title: 'older no more' },
  ]);
  const rows = [];
  for (const _ of ['once', 'again']) {
    expect((await runCommand(['import', folder], { dataDir })).code).toBe(0);
    const imported = freshLake(dataDir);
    expect(wordsAt(imported, AT - 3 * DAY_MS)).toEqual(OLD);
    expect(wordsAt(imported, AT - 1)).toEqual({ ...OLD, title: 'older no more' });
    expect(wordsAt(imported, AT)).toEqual({ ...NEW, hashtags: ['cat', 'ramen'] });
    rows.push(lakeRows(imported));
  }
  expect(rows[1]).toEqual(rows[0]);
});

test('lines of one video in a file, the later one first: the earlier one overwrites nothing', async () => {
  const dataDir = freshDataDir();
  const path = join(dataDir, 'videos.ndjson');
  const line = ({ hashtags: tags, ...words }: typeof OLD, at: number) =>
    JSON.stringify({ id: ID, platform: 'tiktok', ...words, tags, firstSeenAt: isoOf(at) });
  writeFileSync(path, [line(NEW, AT), line(OLD, AT - DAY_MS)].join('\n'));
  expect((await runCommand(['import', path], { dataDir })).code).toBe(0);
  const lake = freshLake(dataDir);
  expect(wordsAt(lake, AT - 1)).toEqual(OLD);
  expect(wordsAt(lake, AT)).toEqual({ ...NEW, hashtags: ['cat', 'ramen'] });
});

test('lines of one video in a file, in any order, and the file again: the words of each instant', async () => {
  const [first, second, third] = [
    { ...OLD, title: 'first', at: AT - 2 * DAY_MS },
    { ...OLD, title: 'second', hashtags: ['cat'], at: AT - DAY_MS },
    { ...OLD, title: 'third', hashtags: ['snow'], at: AT },
  ];
  for (const order of [
    [first, second, third],
    [first, third, second],
    [second, third, first],
    [third, first, second],
  ]) {
    const dataDir = freshDataDir();
    const path = join(dataDir, 'videos.ndjson');
    const lines = order.map(({ hashtags: tags, at, ...words }) =>
      JSON.stringify({ id: ID, platform: 'tiktok', ...words, tags, firstSeenAt: isoOf(at) }),
    );
    writeFileSync(path, lines.join('\n'));
    const rows = [];
    for (const _ of ['once', 'again']) {
      expect((await runCommand(['import', path], { dataDir })).code).toBe(0);
      const lake = freshLake(dataDir);
      const words = [first, second, third].map(({ at }) => wordsAt(lake, at));
      expect(words.map(({ title, hashtags }) => [title, ...(hashtags ?? []).toSorted()])).toEqual([
        ['first', 'ramen'],
        ['second', 'cat', 'ramen'],
        ['third', 'cat', 'ramen', 'snow'],
      ]);
      rows.push(lakeRows(lake));
    }
    expect(rows[1]).toEqual(rows[0]);
  }
});

test('counts that are older than the first sight a set states: the newest of them stand', async () => {
  const dataDir = freshDataDir();
  const folder = join(dataDir, 'in');
  mkdirSync(folder);
  const video = { id: ID, platform: 'tiktok', title: 'a', firstSeenAt: isoOf(AT) };
  writeFileSync(join(folder, 'videos.ndjson'), JSON.stringify(video));
  const lines = [3, 2, 1].map((days) =>
    JSON.stringify({ id: ID, at: isoOf(AT - days * DAY_MS), views: 9 - days }),
  );
  writeFileSync(join(folder, 'snapshots.ndjson'), lines.join('\n'));
  expect((await runCommand(['import', folder], { dataDir })).code).toBe(0);
  expect(lakeRows(freshLake(dataDir)).videos).toMatchObject([{ id: ID, views: 8 }]);
});

/** Loads counts of the video, as a timeline or an import states them: without words, or with a title. */
const loadCounts = (
  lake: Lake,
  { source, at, title = null }: { source: 'growth' | 'import'; at: number; title?: string | null },
): void => {
  const counts = { views: 7, likes: null, engagementRate: null, extra: null };
  const point = { ...countsOnly({ id: ID, platform: 'tiktok', ...counts }), title };
  const loader = loaderOf(lake);
  loader.transaction(
    (tally) => void loader.write(point, { at, source }, tally),
    () => {},
  );
};

test('counts of a timeline between two lists end no words', () => {
  const lake = freshLake();
  loadFeed(lake, { ...NEW, views: 9 }, AT);
  for (const at of [AT - HOUR_MS, AT - 2 * DAY_MS]) loadCounts(lake, { at, source: 'growth' });
  expect(wordsAt(lake, AT - HOUR_MS)).toEqual(NEW);
  loadFeed(lake, { ...OLD, user: 'Mika', views: 5 }, AT - DAY_MS);
  for (const at of [AT - 2 * DAY_MS, AT - 1])
    expect(wordsAt(lake, at)).toEqual({ ...OLD, user: 'Mika' });
  const mika = { platform: 'tiktok', handle: 'mika', asOf: AT - 1, limit: 9 } as const;
  expect(creatorProfile(lake, mika)?.videos).toHaveLength(1);
});

test('words stated before lines of an import hold until its last: most of them state none', () => {
  const lake = freshLake();
  loadFeed(lake, { ...OLD, views: 1 }, AT - DAY_MS);
  for (const hours of [3, 2]) loadCounts(lake, { at: AT - hours * HOUR_MS, source: 'import' });
  loadCounts(lake, { at: AT, source: 'import', title: 'last' });
  loadFeed(lake, { ...OLD, title: 'between', views: 3 }, AT - 4 * HOUR_MS);
  const titles = [4, 3, 2, 0].map((hours) => wordsAt(lake, AT - hours * HOUR_MS).title);
  expect(titles).toEqual(['between', 'between', 'between', 'last']);
});

const WORDS = ['ramen', 'cat', 'snow'];
const observation = fc.record({
  video: fc.nat(1),
  source: fc.constantFrom('feed', 'trends', 'creator', 'growth'),
  title: fc.constantFrom('ramen', '#cat now', '#cat #snow'),
  user: fc.constantFrom('mika', 'Wren'),
  hashtags: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 2 }),
});
type Observation = typeof observation extends fc.Arbitrary<infer T> ? T : never;
type Dated = Observation & { readonly hour: number };

const load = (lake: Lake, { video, hour, source, ...stated }: Dated, isListed: boolean): void => {
  const words = isListed ? stated : { ...stated, hashtags: null };
  const item = { id: `tt_${video}`, platform: 'tiktok', createdAt: AT - 99 * HOUR_MS } as const;
  const counts = { views: hour, likes: hour, engagementRate: 100, extra: null };
  const point = { ...countsOnly({ ...item, ...counts }), createdAt: item.createdAt };
  const observed = source === 'growth' ? point : { ...point, ...words };
  const loader = loaderOf(lake);
  loader.transaction(
    (tally) => void loader.write(observed, { at: AT + hour * HOUR_MS, source }, tally),
    () => {},
  );
};

/** Words, tags and rows without keys; a list of tags as the set it is. */
const rowsOf = (lake: Lake) => {
  const { videos, video_snapshots, video_hashtags = [] } = lakeRows(lake);
  const revisions = lake.sqlite
    .prepare(
      `select v.id, r.until_at, r.title, r.user, (select group_concat(h.tag order by h.tag)
         from json_each('[' || r.tags || ']') t join hashtag h on h.key = t.value) as tags
       from video_revision r join video v on v.key = r.video_key order by v.id, r.until_at`,
    )
    .all();
  const tags = (video_hashtags as { video_id: string; tag: string }[])
    .map(({ video_id, tag }) => `${video_id} ${tag}`)
    .toSorted();
  return { videos, video_snapshots, tags, revisions };
};

test('observations loaded in any order give the same words, tags and rows', () => {
  const history = fc
    .array(observation, { minLength: 1, maxLength: 9 })
    .map((seen) => seen.map((one, hour): Dated => ({ ...one, hour })))
    // a timeline is asked for a video that a list has shown
    .map((seen) =>
      seen.map((one) =>
        seen.find(({ video }) => video === one.video) === one
          ? { ...one, source: 'feed' as const }
          : one,
      ),
    )
    .chain((seen) =>
      fc.tuple(fc.constant(seen), fc.shuffledSubarray(seen, { minLength: seen.length })),
    );
  fc.assert(
    fc.property(history, fc.boolean(), ([inOrder, shuffled], isListed) => {
      const [lake, other] = [freshLake(), freshLake()];
      for (const one of inOrder) load(lake, one, isListed);
      for (const one of shuffled) load(other, one, isListed);
      expect(rowsOf(other)).toEqual(rowsOf(lake));
      for (const one of shuffled) load(other, one, isListed);
      expect(rowsOf(other)).toEqual(rowsOf(lake));
      lake.close();
      other.close();
    }),
    { numRuns: draws(100) },
  );
});
