import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { prepare, type RowOf, required } from '../../lake/prepare.ts';
import { SPELLINGS_OF_ONE } from '../../lake/read/spellings.ts';
import {
  CREATOR_LOOKBACK_MS,
  type CreatorPast,
  type PlatformDay,
  type TopEntry,
  YOUNG_MS,
} from './creator-viral.ts';
import type { Window } from './event.ts';
import type { AllThresholds } from './thresholds.ts';
import { chunks, lastSnapshotReader, snapshotReader } from './video-history.ts';

/** A creator as videos name it. */
export interface CreatorName {
  readonly platform: Platform;
  readonly user: string;
}

/** Lists whose top counts. Longer periods repeat what the day showed. */
const TOP_LISTS = `((c.list = 'feed') or (c.list = 'trends' and c.period = 'day'))`;

/**
 * Creators of videos with snapshots inside `span` that may have passed a bar in it: they have the
 * views to be judged, are young enough, and were seen before.
 */
function* creatorsOf(
  sqlite: Database.Database,
  keys: readonly number[],
  span: Window,
  limits: AllThresholds,
): Generator<CreatorName> {
  const read = prepare(
    sqlite,
    `select distinct v.platform, v.user from json_each(?) k cross join video v on v.key = k.value
     where v.user is not null and v.views >= json_extract(?, '$.' || v.platform)
       and (v.created_at is null or v.created_at > ?)
       and exists (select 1 from video_snapshot s where s.video_key = v.key limit 1 offset 1)`,
    { platform: 'platform', user: 'text' },
  );
  const floors = JSON.stringify(
    Object.fromEntries(Object.entries(limits).map(([name, its]) => [name, its.creator.minViews])),
  );
  for (const part of chunks(keys))
    yield* read.all(JSON.stringify(part), floors, span.from - YOUNG_MS);
}

/** Creators at the top of a list completed inside `span`. */
const creatorsAtTop = (
  sqlite: Database.Database,
  span: Window,
  topRank: (platform: Platform) => number,
): CreatorName[] => {
  const rows = prepare(
    sqlite,
    `select distinct v.platform, v.user, r.rank from capture c cross join ranking r on r.capture_key = c.key cross join video v on v.key = r.video_key
       where c.completed_at > ? and c.completed_at <= ? and ${TOP_LISTS} and r.rank <= 100 and v.user is not null`,
    { platform: 'platform', user: 'text', rank: 'number' },
  ).all(span.from, span.to);
  return rows.filter(({ platform, rank }) => rank <= topRank(platform));
};

/**
 * Names creators, each by the spelling of its video seen first where there are several, so that one
 * that comes later makes no second creator of it.
 */
const firstNamer = (sqlite: Database.Database): ((creator: CreatorName) => CreatorName) => {
  const spellings = prepare(
    sqlite,
    'select count(*) from handle_spelling where folded = ?',
    'number',
  );
  const firstName = prepare(
    sqlite,
    `select user from video where platform = ? and user in (${SPELLINGS_OF_ONE})
     order by first_seen_at, key limit 1`,
    'text',
  );
  return (creator) => {
    const folded = foldHandle(creator.user);
    if (spellings.get(folded) === 0) return creator;
    return { ...creator, user: firstName.get(creator.platform, folded) ?? creator.user };
  };
};

const nameOf = ({ platform, user }: CreatorName): string => `${platform} ${foldHandle(user)}`;

/** Every creator that may have gone viral inside `span`, once. */
export const creatorsToJudge = (
  sqlite: Database.Database,
  seenKeys: readonly number[],
  span: Window,
  limits: AllThresholds,
): CreatorName[] => {
  const found = new Map<string, CreatorName>();
  const note = (creator: CreatorName): void => {
    const name = nameOf(creator);
    if (!found.has(name)) found.set(name, creator);
  };
  for (const creator of creatorsOf(sqlite, seenKeys, span, limits)) note(creator);
  for (const creator of creatorsAtTop(sqlite, span, (platform) => limits[platform].creator.topRank))
    note(creator);
  return [...found.values()].map(firstNamer(sqlite));
};

/** A creator of more videos than this is judged by the newest. */
const MAX_VIDEOS = 200;

// without an order: SQLite takes four times as long to sort a few rows as to read them
const VIDEOS = `select key, id, created_at as createdAt from video
  where platform = ? and user in (${SPELLINGS_OF_ONE})`;
const VIDEO = { key: 'number', id: 'text', createdAt: 'number?' } as const;

const newestFirst = (a: RowOf<typeof VIDEO>, b: RowOf<typeof VIDEO>): number =>
  (b.createdAt ?? 0) - (a.createdAt ?? 0) || b.key - a.key;

/** First rank of some videos at the top of a list. */
const FIRST_TOP = `
  select v.id as videoId, c.list as name, c.platform, c.period, c.captured_at as capturedAt,
    c.completed_at as at, r.rank
  from json_each(?) k cross join ranking r on r.video_key = k.value
    cross join capture c on c.key = r.capture_key cross join video v on v.key = k.value
  where r.rank <= ? and c.completed_at is not null and ${TOP_LISTS}
  order by c.completed_at, r.rank limit 1`;

/** A list without a pull for this long was not observed, so its top is unknown. */
const LONGEST_UNWATCHED_MS = 3 * DAY_MS;

/** Pulls of a list (name, platform, period) before which it was not watched for so long. */
const WATCH_BEGINS = `select at from (
  select captured_at as at, captured_at - lag(captured_at) over (order by captured_at) as gap
  from capture where list = ? and platform = ? and period = ? and completed_at is not null
) where gap is null or gap > ${LONGEST_UNWATCHED_MS} order by at`;

/** Reads the first entry of some videos among the top ranks of a list, if it was after `since`. */
const firstTopReader = (
  sqlite: Database.Database,
  since: number,
): ((keys: readonly number[], topRank: number) => TopEntry | undefined) => {
  const read = prepare(sqlite, FIRST_TOP, {
    videoId: 'text',
    name: 'text',
    platform: 'platform',
    period: 'text',
    capturedAt: 'number',
    at: 'number',
    rank: 'number',
  });
  const watchBegins = prepare(sqlite, WATCH_BEGINS, 'number');
  const byList = new Map<string, readonly number[]>(); // a year of hourly pulls is thousands
  return (keys, topRank) => {
    const row = read.get(JSON.stringify(keys), topRank);
    if (row === undefined || row.at <= since) return undefined;
    const { videoId, name, platform, period, capturedAt, at, rank } = row;
    const list = `${platform} ${name} ${period}`;
    const begins = byList.get(list) ?? watchBegins.all(name, platform, period);
    byList.set(list, begins);
    const watchedSince = required(begins.findLast((began) => began <= capturedAt));
    return { videoId, list: `${name} ${period}`, at, rank, watchedSince };
  };
};

/** The snapshots of a day that make its cohort: enough for a hundredth, whatever an import brought. */
const COHORT_SNAPSHOTS = 20_000;

const cohortOf = (views: readonly number[]): PlatformDay | undefined => {
  const views99 = views[Math.floor(views.length / 100)];
  return views99 === undefined ? undefined : { videos: views.length, views99 };
};

/** The cohorts of a platform before an instant; each day is read once. */
const cohortReader = (
  sqlite: Database.Database,
): ((platform: Platform, at: number) => PlatformDay | undefined) => {
  const byDay = new Map<number, Map<Platform, PlatformDay | undefined>>();
  const read = prepare(
    sqlite,
    `select v.platform, max(s.views) as views from (
       select video_key, views from video_snapshot indexed by video_snapshot_observed_at
       where observed_at >= ? and observed_at < ? order by observed_at, video_key limit ${COHORT_SNAPSHOTS}
     ) s cross join video v on v.key = s.video_key where s.views > 0 group by v.key order by 2 desc`,
    { platform: 'platform', views: 'number' },
  );
  const readDay = (day: number): Map<Platform, PlatformDay | undefined> => {
    const rows = read.all(day - DAY_MS, day);
    const byPlatform = Map.groupBy(rows, ({ platform }) => platform);
    return new Map(
      [...byPlatform].map(([platform, its]) => [platform, cohortOf(its.map(({ views }) => views))]),
    );
  };
  return (platform, at) => {
    const day = Math.floor(at / DAY_MS) * DAY_MS;
    const cohorts = byDay.get(day) ?? readDay(day);
    byDay.set(day, cohorts);
    return cohorts.get(platform);
  };
};

/** Creators read together: one statement for all costs less than one for each. */
const CREATORS_A_TURN = 100;

/** Inputs of the rule, creator by creator. */
export function* creatorPasts(
  sqlite: Database.Database,
  creators: Iterable<CreatorName>,
  span: Window,
  limits: AllThresholds,
): Generator<[CreatorName, CreatorPast]> {
  const since = span.from - CREATOR_LOOKBACK_MS;
  const videosOf = prepare(sqlite, VIDEOS, VIDEO);
  const lastSnapshotsBefore = lastSnapshotReader(sqlite);
  const snapshotsOf = snapshotReader(sqlite);
  const firstTopOf = firstTopReader(sqlite, since);
  const cohortAt = cohortReader(sqlite);
  for (const turn of chunks(creators, CREATORS_A_TURN)) {
    const some = turn.map((creator) => {
      const { platform, user } = creator;
      const videos = videosOf.all(platform, foldHandle(user)).sort(newestFirst);
      return { creator, videos: videos.slice(0, MAX_VIDEOS) };
    });
    const all = some.flatMap(({ videos }) => videos.map(({ key }) => key));
    const earlier = lastSnapshotsBefore(all, since);
    const snapshots = snapshotsOf(all, { from: since, to: span.to });
    for (const { creator, videos } of some) {
      const { platform } = creator;
      const keys = videos.map(({ key }) => key);
      yield [
        creator,
        {
          videos: videos.map(({ key, id, createdAt }) => {
            const before = earlier.get(key);
            const counts = snapshots.get(key) ?? [];
            return {
              id,
              createdAt,
              snapshots: before === undefined ? counts : [before, ...counts],
            };
          }),
          firstTop: firstTopOf(keys, limits[platform].creator.topRank),
          cohortAt: (at) => cohortAt(platform, at),
        },
      ];
    }
  }
}
