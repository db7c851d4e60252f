import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { eventsPage } from '../../../src/lake/lists/event-list.ts';
import { type Lake, openLakeForReading } from '../../../src/lake/open.ts';
import { showLakeAsOf } from '../../../src/lake/query/lake-as-of.ts';
import { TABLES_THEN } from '../../../src/lake/query/tables-as-of.ts';
import { contentItems } from '../../../src/lake/read/content-items.ts';
import { creatorProfile } from '../../../src/lake/read/creator-profile.ts';
import { hoursAgo } from '../../serve/filled-lake.ts';
import { draws } from '../../support/draws.ts';
import { freshLake } from '../../support/fresh.ts';
import { HANDLES, loadSeen, seenCreator, seenVideo } from '../read/seen.ts';
import { seenStep, takeSteps } from './seen-steps.ts';

/** Working state of now, and what has no instant. */
const TIMELESS = [
  'delivery_due',
  'event_progress',
  'handle_spelling',
  'import_progress',
  'meta',
  'pause',
  'quota_hint',
  'search_pending',
  'touched_partitions',
];

type Cell = string | number | null;
const namesOf = ({ sqlite }: Pick<Lake, 'sqlite'>, type: 'table' | 'view'): string[] =>
  sqlite
    .prepare(
      `select name from main.sqlite_schema where type = ? and name not glob 'sqlite_*'
       and name not glob 'search' and name not glob 'search_[a-oq-z]*' or name = 'search_hit' and ? = 'table'`,
    )
    .pluck()
    .all(type, type) as string[];

/** JSON objects with their keys in one order. An empty one says as much as null: no further fields. */
const inOrder = (cell: Cell): unknown =>
  cell === '{}'
    ? null
    : typeof cell === 'string' && cell.startsWith('{')
      ? Object.entries(JSON.parse(cell) as object).toSorted(([a], [b]) => (a < b ? -1 : 1))
      : cell;

/** All rows of everything that has a past, in an order that only depends on them. */
const rowsOf = (lake: Pick<Lake, 'sqlite'>): Record<string, unknown[]> =>
  Object.fromEntries(
    [...Object.keys(TABLES_THEN), ...namesOf(lake, 'view')].map((name) => {
      const rows = lake.sqlite.prepare(`select * from "${name}"`).raw().all() as Cell[][];
      return [name, rows.map((row) => JSON.stringify(row.map(inOrder))).toSorted()];
    }),
  );

/** The rows that a reader sees as of an instant. */
const rowsAsOf = ({ dataDir }: Lake, at: number): Record<string, unknown[]> => {
  const reader = openLakeForReading(dataDir);
  try {
    showLakeAsOf(reader.sqlite, at);
    return rowsOf(reader);
  } finally {
    reader.close();
  }
};

test('every table has a past or is known to have none', () => {
  expect([...Object.keys(TABLES_THEN), ...TIMELESS].toSorted()).toEqual(
    namesOf(freshLake(), 'table').toSorted(),
  );
});

test('every table and view is row by row as a lake cut at that instant', () => {
  fc.assert(
    fc.property(
      fc.array(seenVideo, { maxLength: 14 }),
      fc.array(seenCreator, { maxLength: 6 }),
      fc.array(seenStep, { minLength: 10, maxLength: 40 }),
      fc.integer({ min: 1, max: 199 }),
      (videos, creators, steps, hours) => {
        const lake = freshLake();
        const until = (seen: { hours: number }): boolean => seen.hours >= hours;
        const later = (seen: { hours: number }): boolean => !until(seen);
        loadSeen(lake, { videos: videos.filter(until), creators: creators.filter(until) });
        takeSteps(lake, steps.filter(until));
        const at = hoursAgo(hours) + HOUR_MS / 2;
        const before = rowsOf(lake);
        loadSeen(lake, { videos: videos.filter(later), creators: creators.filter(later) });
        takeSteps(lake, steps.filter(later));
        expect(rowsAsOf(lake, at)).toEqual(before);
        lake.close();
      },
    ),
    { numRuns: draws(60) },
  );
});

const VIDEOS = `select v.key, v.id, v.title, v.user, v.views, v.likes, (
    select json_group_array(h.tag order by vh.position, vh.hashtag_key)
    from video_hashtag vh join hashtag h on h.key = vh.hashtag_key where vh.video_key = v.key
  ) as hashtags from video v order by v.key`;
interface VideoThen {
  readonly key: number;
  readonly hashtags: string;
}

test('videos, creators and events are those that the service shows as of the instant', () => {
  fc.assert(
    fc.property(
      fc.array(seenVideo, { minLength: 4, maxLength: 20 }),
      fc.array(seenCreator, { maxLength: 6 }),
      fc.array(seenStep, { maxLength: 20 }),
      fc.integer({ min: 1, max: 199 }),
      (videos, creators, steps, hours) => {
        const lake = freshLake();
        const instants = [...videos, ...creators, ...steps].map((seen) => seen.hours);
        for (const instant of [...new Set(instants)].toSorted((a, b) => b - a)) {
          const isThen = (seen: { hours: number }): boolean => seen.hours === instant;
          loadSeen(lake, { videos: videos.filter(isThen), creators: creators.filter(isThen) });
          takeSteps(lake, steps.filter(isThen));
        }
        const asOf = hoursAgo(hours) + HOUR_MS / 2;
        const reader = openLakeForReading(lake.dataDir);
        showLakeAsOf(reader.sqlite, asOf);
        const then = (sql: string): unknown[] => reader.sqlite.prepare(sql).all();

        const found = then(VIDEOS) as VideoThen[];
        const entries = found.map(({ key }) => ({ key, rank: 1, score: null, velocity: null }));
        expect(
          found.map(({ key: _, hashtags, ...video }) => ({
            ...video,
            hashtags: JSON.parse(hashtags),
          })),
        ).toEqual(
          contentItems(lake, entries, asOf).map(({ id, title, user, views, likes, hashtags }) => ({
            id,
            title,
            user,
            views,
            likes,
            hashtags,
          })),
        );

        const profiles = HANDLES.flatMap((handle) => {
          const named = { platform: 'tiktok', handle, asOf, limit: 1 } as const;
          const profile = creatorProfile(lake, named);
          return profile === undefined ? [] : [[handle, profile.followers, profile.likes]];
        });
        const known = then('select handle, followers, likes from creators') as object[];
        for (const creator of known) expect(profiles).toContainEqual(Object.values(creator));

        const { items } = eventsPage(lake, { asOf, since: 0, limit: 100, page: 1 });
        const ids = items.map(({ id }) => id).toSorted();
        const noticed = 'select id from events where occurred_at <= detected_at order by id';
        expect(then(noticed)).toEqual(ids.map((id) => ({ id })));
        reader.close();
        lake.close();
      },
    ),
    { numRuns: draws(60) },
  );
});
