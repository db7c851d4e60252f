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
} from './creator-viral.ts';
import { type CreatorName, TOP_LISTS } from './creators-to-judge.ts';
import type { Window } from './event.ts';
import type { Thresholds } from './thresholds.ts';
import { chunks, lastSnapshotReader, snapshotReader } from './video-history.ts';

/** A creator of more videos than this is judged by the newest. */
const MAX_VIDEOS = 200;

/** A list without a pull for this long was not observed, so its top is unknown. */
const LONGEST_UNWATCHED_MS = 3 * DAY_MS;

/** Pulls of a list (parameters: name, platform, period) before which it was not watched for so long. */
const WATCH_BEGINS = `select at from (
  select captured_at as at, captured_at - lag(captured_at) over (order by captured_at) as gap
  from capture where list = ? and platform = ? and period = ? and completed_at is not null
) where gap is null or gap > ${LONGEST_UNWATCHED_MS} order by at`;

/**
 * Since when the list of a pull had been watched without such a gap. The pulls of a list are read once,
 * not for each creator at its top: a year of hourly ones is thousands.
 */
const watchReader = (sqlite: Database.Database): ((pull: TopRow) => number) => {
  const begins = prepare(sqlite, WATCH_BEGINS, 'number');
  const byList = new Map<string, readonly number[]>();
  return ({ name, platform, period, capturedAt }) => {
    const list = JSON.stringify([name, platform, period]);
    const known = byList.get(list) ?? begins.all(name, platform, period);
    byList.set(list, known);
    return required(known.findLast((at) => at <= capturedAt));
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

interface OwnVideo {
  readonly key: number;
  readonly id: string;
  readonly createdAt: number | null;
}

/**
 * Reads the videos a creator is judged by. Most creators have few, and sorting a few rows costs four
 * times what reading them does: only where there are too many are the newest sought out.
 */
const ownVideoReader = (
  sqlite: Database.Database,
): ((platform: Platform, folded: string) => OwnVideo[]) => {
  const select = `select key, id, created_at as createdAt from video
    where platform = ? and user in (${SPELLINGS_OF_ONE})`;
  const shape = { key: 'number', id: 'text', createdAt: 'number?' } as const;
  const some = prepare(sqlite, `${select} limit ${MAX_VIDEOS + 1}`, shape);
  const newest = prepare(
    sqlite,
    `${select} order by created_at desc, key desc limit ${MAX_VIDEOS}`,
    shape,
  );
  return (platform, folded) => {
    const videos = some.all(platform, folded);
    return videos.length <= MAX_VIDEOS ? videos : newest.all(platform, folded);
  };
};

/** A creator and the videos it is judged by. */
interface JudgedCreator {
  readonly creator: CreatorName;
  readonly videos: readonly OwnVideo[];
}

const TOP_ROW = {
  videoKey: 'number',
  name: 'text',
  platform: 'platform',
  period: 'text',
  capturedAt: 'number',
  at: 'number',
  rank: 'number',
} as const;
type TopRow = RowOf<typeof TOP_ROW>;

/** Reads, for creators judged together, each one's first rank at the top of a list. */
const firstTopReader = (
  sqlite: Database.Database,
  limits: Readonly<Record<Platform, Thresholds>>,
): ((some: readonly JudgedCreator[]) => Map<CreatorName, TopEntry>) => {
  const read = prepare(
    sqlite,
    `select k.value as videoKey, c.list as name, c.platform, c.period, c.captured_at as capturedAt,
       c.completed_at as at, r.rank
     from json_each(?) k cross join ranking r on r.video_key = k.value cross join capture c on c.key = r.capture_key
     where r.rank <= ? and c.completed_at is not null and ${TOP_LISTS} order by c.completed_at, r.rank`,
    TOP_ROW,
  );
  const watchedSince = watchReader(sqlite);
  const lowest = Math.max(...Object.values(limits).map(({ creator }) => creator.topRank));
  return (some) => {
    const owners = new Map(
      some.flatMap(({ creator, videos }) =>
        videos.map((video) => [video.key, { creator, video }] as const),
      ),
    );
    const firsts = new Map<CreatorName, TopRow & { videoId: string }>();
    const rows = read.iterate(JSON.stringify([...owners.keys()]), lowest);
    for (const row of rows) {
      const owner = owners.get(row.videoKey);
      if (owner === undefined || firsts.has(owner.creator)) continue;
      if (row.rank > limits[owner.creator.platform].creator.topRank) continue;
      firsts.set(owner.creator, { ...row, videoId: owner.video.id });
    }
    return new Map(
      [...firsts].map(([creator, { videoId, ...row }]) => {
        const { at, rank, name, period } = row;
        const list = `${name} ${period}`;
        return [creator, { at, rank, videoId, list, watchedSince: watchedSince(row) }];
      }),
    );
  };
};

/** Creators read together: one statement for all costs less than one for each. */
const CREATORS_A_TURN = 100;

/**
 * Inputs of the rule, creator by creator; shared parts are read once. Keeps the snapshots of a
 * limited number in memory.
 */
export function* creatorPasts(
  sqlite: Database.Database,
  creators: Iterable<CreatorName>,
  span: Window,
  limits: Readonly<Record<Platform, Thresholds>>,
): Generator<[CreatorName, CreatorPast]> {
  const videosOf = ownVideoReader(sqlite);
  const lastSnapshotsBefore = lastSnapshotReader(sqlite);
  const snapshotsOf = snapshotReader(sqlite);
  const firstTopsOf = firstTopReader(sqlite, limits);
  const cohortAt = cohortReader(sqlite);
  const since = span.from - CREATOR_LOOKBACK_MS;
  for (const turn of chunks(creators, CREATORS_A_TURN)) {
    const some = turn.map((creator): JudgedCreator => {
      const { platform, user } = creator;
      return { creator, videos: videosOf(platform, foldHandle(user)) };
    });
    const keys = some.flatMap(({ videos }) => videos.map(({ key }) => key));
    const earlier = lastSnapshotsBefore(keys, since);
    const snapshots = snapshotsOf(keys, { from: since, to: span.to });
    const firstTops = firstTopsOf(some);
    for (const { creator, videos } of some)
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
          firstTop: firstTops.get(creator),
          cohortAt: (at) => cohortAt(creator.platform, at),
        },
      ];
  }
}
