import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import { creatorRise, creatorsPage } from '../../../src/lake/lists/creator-lists.ts';
import { pulledHashtag } from '../../../src/lake/lists/hashtag-list.ts';
import { type Lake, openLakeForReading } from '../../../src/lake/open.ts';
import { creatorVideos } from '../../../src/lake/read/creator-profile.ts';
import { hashtagAsOf, readHashtagHistory } from '../../../src/lake/read/hashtag-history.ts';
import { readListStays } from '../../../src/lake/read/list-stays.ts';
import { milestones } from '../../../src/lake/read/milestones.ts';
import { taggedPage } from '../../../src/lake/read/tagged-videos.ts';
import { videoByIdAsOf } from '../../../src/lake/read/timeline.ts';
import { RandomStream } from '../../../src/sandbox/world/random-stream.ts';
import { fillLake, freshFolder, hoursAgo, NOW } from '../../serve/filled-lake.ts';

const VIDEOS = 30;
const THEN = hoursAgo(100);
const PULLS = [240, 190, 150, 110, 60, 20, 3].map(hoursAgo);
const COUNTED = [20, 16, 12, 8, 5, 1].map((days) => NOW - days * DAY_MS);

/** A world of chance, the same each time, as a lake knew it that had watched it until an instant. */
const worldUntil = (until: number) => {
  const { dataDir, remove } = freshFolder();
  const chance = new RandomStream(7);
  const pick = (most: number): number => Math.floor(chance.next() * most);
  fillLake(dataDir, (into) => {
    const known = new Set<number>();
    for (let n = 1; n <= VIDEOS; n++) {
      const grows = 2000 + pick(300_000);
      const at = Array.from({ length: 8 }, (_, i) => hoursAgo(250 - 31 * i - pick(30)));
      const counts = at.map((one, i) => [one, pick(6) === 0 ? 0 : grows * (i + 1)] as const);
      const tags = ['all', ...(pick(2) === 0 ? ['half'] : []), ...(pick(5) === 0 ? ['few'] : [])];
      const user = `maker${pick(4)}`;
      const createdAt = hoursAgo(251 + pick(20));
      const snapshots = counts.filter(([one]) => one <= until);
      if (snapshots.length === 0) continue;
      known.add(n);
      into.video({ id: `tt_${n}`, user, tags, createdAt, snapshots });
    }
    for (const [index, at] of PULLS.entries()) {
      const order = Array.from({ length: 12 }, () => 1 + pick(VIDEOS));
      const ids = [...new Set(order)];
      if (at > until) continue;
      const ranks = ids.flatMap((n, i) => (known.has(n) ? [{ rank: i + 1, id: `tt_${n}` }] : []));
      into.pulled({ list: 'feed', platform: 'tiktok', period: '24h', at, total: 12, ranks });
      into.pulled({ list: 'hashtags', platform: '', period: '30d', at, total: 1 });
      const volume = 100 + index;
      into.hashtag({ tag: 'all', platform: '', at, window: '30d', rank: 1, volume });
      into.hashtag({ tag: 'all', platform: 'tiktok', at, window: '30d', volume });
    }
    for (let n = 0; n < 4; n++) {
      const counts = COUNTED.map((at) => [at, 1000 * (n + 1) + pick(900)] as const);
      const snapshots = counts.filter(([at]) => at <= until);
      if (snapshots.length > 0)
        into.creator({ platform: 'tiktok', handle: `maker${n}`, snapshots });
    }
  });
  return { lake: openLakeForReading(dataDir), remove };
};

let all: ReturnType<typeof worldUntil>;
let before: ReturnType<typeof worldUntil>;
beforeAll(() => {
  all = worldUntil(NOW);
  before = worldUntil(THEN);
});
afterAll(() => {
  for (const { lake, remove } of [all, before]) {
    lake.close();
    remove();
  }
});

const keysOf = (lake: Lake, at: number): Map<string, number> =>
  new Map(
    Array.from({ length: VIDEOS }, (_, n) => `tt_${n + 1}`).flatMap((id) => {
      const found = videoByIdAsOf(lake, id, at);
      return found === undefined ? [] : [[id, found.key] as const];
    }),
  );

const rows = (lake: Lake, sql: string): Record<string, unknown>[] =>
  lake.sqlite.prepare(sql).all() as Record<string, unknown>[];

test('now they say what the views of the lake say', () => {
  const { lake } = all;
  const stays = [...keysOf(lake, NOW)].flatMap(([id, key]) =>
    readListStays(lake, key, NOW).map((stay) => ({ id, ...stay })),
  );
  expect(stays.length).toBeGreaterThan(10);
  const byId = (a: { id?: unknown }, b: { id?: unknown }) =>
    String(a.id).localeCompare(String(b.id));
  expect(
    stays
      .toSorted(byId)
      .map(({ id, firstSeenAt, lastSeenAt, bestRank, pulls, hours, isThereNow }) => ({
        id,
        first_seen_at: isoOf(firstSeenAt),
        last_seen_at: isoOf(lastSeenAt),
        best_rank: bestRank,
        pulls,
        hours,
        is_there_now: Number(isThereNow),
      })),
  ).toEqual(
    rows(
      lake,
      'select id, first_seen_at, last_seen_at, best_rank, pulls, hours, is_there_now from list_stays',
    ).toSorted(byId),
  );
  const reached = [...keysOf(lake, NOW)].flatMap(([id, key]) =>
    milestones(lake, key, NOW).map(({ milestone, state, reachedAt, hours }) => ({
      id,
      milestone,
      state,
      reached_at: reachedAt === null ? null : isoOf(reachedAt),
      hours,
    })),
  );
  expect(new Set(reached.map(({ state }) => state)).size).toBeGreaterThan(1);
  const view = rows(lake, 'select id, milestone, state, reached_at, hours from video_milestones');
  const order = (a: Record<string, unknown>, b: Record<string, unknown>) =>
    byId(a, b) || Number(a.milestone) - Number(b.milestone);
  expect(reached.toSorted(order)).toEqual(view.toSorted(order));
  const rising = creatorsPage(lake, { list: 'rising', asOf: NOW, limit: 50, page: 1 }).items;
  expect(rising.length).toBe(4);
  expect(rising.map(({ handle, gainedPerDay, change }) => [handle, gainedPerDay, change])).toEqual(
    rows(lake, 'select handle, gained_per_day, change from creators_rising').map(Object.values),
  );
});

test('as of an instant they say what a lake says that had seen no more by then', () => {
  const told = ({ lake }: ReturnType<typeof worldUntil>) => {
    const keys = keysOf(lake, THEN);
    const tag = hashtagAsOf(lake, '#ALL', THEN);
    const tagged = { hashtagKey: tag?.key ?? 0, from: THEN - 30 * DAY_MS, asOf: THEN };
    const maker = { platform: 'tiktok', handle: 'maker1', asOf: THEN } as const;
    const idOf = new Map([...keys].map(([id, key]) => [key, id]));
    const page = { companions: 10, limit: 5, page: 1 };
    const { count, tags, creators, keys: top } = taggedPage(lake, { ...tagged, ...page });
    return {
      stays: [...keys].map(([id, key]) => [id, readListStays(lake, key, THEN)]),
      milestones: [...keys].map(([id, key]) => [id, milestones(lake, key, THEN)]),
      rising: creatorsPage(lake, { list: 'rising', asOf: THEN, limit: 2, page: 2 }),
      largest: creatorsPage(lake, { list: 'largest', asOf: THEN, limit: 3, page: 1 }),
      rise: creatorRise(lake, maker),
      videos: creatorVideos(lake, { ...maker, limit: 3, page: 1 }),
      volumes: readHashtagHistory(lake, tagged.hashtagKey, THEN),
      pulled: pulledHashtag(lake, { key: tagged.hashtagKey, dateRange: '30d', asOf: THEN }),
      count,
      tags,
      creators,
      top: top.map((key) => idOf.get(key)),
    };
  };
  const [past, present] = [told(all), told(before)];
  expect(past.count.volume).toBe(VIDEOS);
  expect(past.rise?.gainedPerDay).not.toBeNull();
  expect(past).toEqual(present);
});
