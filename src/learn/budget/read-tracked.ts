import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { videosAtMost } from '../../lake/lists/window-snapshots.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { lastKnownAt } from '../../lake/read/as-of-sql.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';
import type { RequestedLately } from './requested-lately.ts';
import { FIRST_CREATOR, type RefreshRow, TrackedBuilder, type TrackedVideos } from './tracked.ts';

/** Assumed age at first sight of a video without a publishing time. */
export const USUAL_AGE_AT_FIRST_SIGHT_MS = 12 * HOUR_MS;
/** Two refreshes closer than this share of the age show no growth. */
const LEAST_GAP_OF_AGE = 0.09;

// Counts of the future, of a service whose clock runs ahead, are refreshes all the same.
const EVER = `${Number.MAX_SAFE_INTEGER}`;
/**
 * Every video of some platforms with a count, by key. One walk over both tables in the order of
 * their keys: `+` because the index by platform would read them in the order of handles, all over
 * the file; `limit` because SQLite would else look up `last_at` four times. Exported for the test
 * of its plan.
 */
export const REFRESHES = `
  with known as (
    select key, coalesce(created_at, first_seen_at - @usualAge) as born,
      ${lastKnownAt('views', { video: 'v.key', at: EVER })} as last_at
    from video v where +platform in (select value from json_each(@platforms))
    order by key limit -1
  )
  select k.key, k.born, k.last_at, l.views, e.observed_at, e.views
  from known k
  join video_snapshot l on l.video_key = k.key and l.observed_at = k.last_at
  left join video_snapshot e on e.video_key = k.key and e.observed_at = ${lastKnownAt('views', {
    video: 'k.key',
    at: 'k.last_at - max(@leastGap, (k.last_at - k.born) * @leastGapOfAge)',
  })}
  order by k.key`;

/** The last refreshes of all videos of some platforms that have a count, one row each, by key. */
export const lastRefreshes = (
  { sqlite }: Lake,
  platforms: readonly Platform[],
): IterableIterator<RefreshRow> =>
  prepare(sqlite, REFRESHES, [
    'number',
    'number',
    'number',
    'number',
    'number?',
    'number?',
  ]).iterate({
    platforms: JSON.stringify(platforms),
    usualAge: USUAL_AGE_AT_FIRST_SIGHT_MS,
    leastGap: HOUR_MS,
    leastGapOfAge: LEAST_GAP_OF_AGE,
  });

/** The videos of a platform by handle: the index alone. */
const BY_HANDLE = 'select key, user from video where platform = ? order by user';
const ONE_OF = 'select key from video where platform = ? and user = ? limit 1';

const NO_GROUP = -1;

/** Group of every video, by its key, and the sizes of groups. */
class GroupFinder {
  readonly ofVideo: Int32Array;
  readonly #sizes: Uint32Array;
  readonly #platform: Uint8Array;
  #groups = FIRST_CREATOR;

  constructor(lake: Lake, platforms: readonly Platform[]) {
    const most = videosAtMost(lake); // what is never touched of these takes no memory
    this.ofVideo = new Int32Array(most + 1).fill(NO_GROUP);
    this.#sizes = new Uint32Array(most + FIRST_CREATOR);
    this.#platform = new Uint8Array(most + FIRST_CREATOR);
    this.#platform.set(PLATFORMS.map((_, position) => position));
    for (const platform of platforms) this.#find(lake, platform);
  }

  get sizes() {
    return {
      videos: this.#sizes.slice(0, this.#groups),
      platform: this.#platform.slice(0, this.#groups),
    };
  }

  /** One group for all spellings of a handle; the index has each of them once. */
  #find({ sqlite }: Lake, platform: Platform): void {
    const oneOf = prepare(sqlite, ONE_OF, 'number');
    const spelledOtherwise = new Map<string, number>();
    const groupOf = (handle: string | null): number => {
      const folded = handle === null ? '' : foldHandle(handle);
      if (folded === '') return PLATFORMS.indexOf(platform);
      const known = spelledOtherwise.get(folded);
      if (known !== undefined) return known;
      const passed =
        folded === handle ? NO_GROUP : (this.ofVideo[oneOf.get(platform, folded) ?? 0] ?? NO_GROUP);
      const group = passed === NO_GROUP ? this.#groups++ : passed;
      this.#platform[group] = PLATFORMS.indexOf(platform);
      if (folded !== handle) spelledOtherwise.set(folded, group);
      return group;
    };
    let [before, group]: [string | null | undefined, number] = [undefined, NO_GROUP];
    const rows = prepare(sqlite, BY_HANDLE, ['number', 'text?']);
    for (const [key, handle] of rows.iterate(platform)) {
      if (handle !== before) group = groupOf(handle);
      before = handle;
      this.ofVideo[key] = group;
      this.#sizes[group] = (this.#sizes[group] ?? 0) + 1;
    }
  }
}

/** Usual views of the creator of a video, by the video's key and last views. */
export type UsualViews = (videoKey: number, views: number) => number;

/**
 * A requested timeline without a new count is a refresh that saw the last count unchanged. The
 * earlier refresh still shows the growth: a service may have been late with a count.
 */
const withQuiet = (row: RefreshRow, quietAt: number | undefined): RefreshRow => {
  const [key, bornAt, lastAt, views, earlierAt, earlierViews] = row;
  return quietAt === undefined || quietAt <= lastAt + HOUR_MS
    ? row
    : [key, bornAt, quietAt, views, earlierAt, earlierViews];
};

/** When timelines that brought nothing new were requested last, by the video's key. */
const quietByKey = ({ sqlite }: Lake, timelines: RequestedLately['timelines']) => {
  const keyOf = prepare(sqlite, 'select key from video where id = ?', 'number');
  return new Map(
    [...timelines].flatMap(([id, at]): [number, number][] => {
      const key = keyOf.get(id);
      return key === undefined ? [] : [[key, at]];
    }),
  );
};

const ANY_OF = `select key from video
  where platform = @platform and user in (${spellingsOf('@folded')}) limit 1`;

/** When creators' pages were requested last, by their group. */
const pagesByGroup = (
  { sqlite }: Lake,
  { ofVideo }: GroupFinder,
  profiles: RequestedLately['profiles'],
) => {
  const anyOf = prepare(sqlite, ANY_OF, 'number');
  return new Map(
    profiles.flatMap(({ platform, folded, at }): [number, number][] => {
      const group = ofVideo[anyOf.get({ platform, folded }) ?? 0] ?? NO_GROUP;
      return group < FIRST_CREATOR ? [] : [[group, at]];
    }),
  );
};

/**
 * Reads every video of some platforms with a count, and the usual views of their creators. Reads
 * the index of handles and then both large tables in the order of their keys. Keeps only handles
 * that differ from their folded form, and only while it reads the index.
 */
export const readTracked = (
  lake: Lake,
  platforms: readonly Platform[],
  { timelines, profiles }: RequestedLately,
): { tracked: TrackedVideos; pageAt: ReadonlyMap<number, number>; usual: UsualViews } => {
  const groups = new GroupFinder(lake, platforms);
  const quietAt = quietByKey(lake, timelines);
  const builder = new TrackedBuilder(groups.sizes);
  for (const row of lastRefreshes(lake, platforms)) {
    const group = groups.ofVideo[row[0]] ?? NO_GROUP;
    if (group !== NO_GROUP) builder.add(group, withQuiet(row, quietAt.get(row[0]))); // else another process just stored it
  }
  return {
    tracked: builder.build(),
    pageAt: pagesByGroup(lake, groups, profiles),
    usual: (key, views) => builder.usual(groups.ofVideo[key] ?? NO_GROUP, views),
  };
};

/** Handle of a creator in its first tracked video. */
export const creatorNames = ({ sqlite }: Lake, { groups, key }: TrackedVideos) => {
  const named = prepare(sqlite, 'select platform, user as handle from video where key = ?', {
    platform: 'platform',
    handle: 'text',
  });
  return (creator: number): { platform: Platform; handle: string } => {
    const group = FIRST_CREATOR + creator;
    const keys = key.subarray(groups.from[group], groups.to[group]);
    return required(named.get(keys.reduce((first, other) => Math.min(first, other))));
  };
};
